/* The synthetic population of the demonstration: applicants of four groups of unequal size, whose columns say
 * something, but not everything, about the group.
 *
 * The same seed gives the same bytes on every platform: only sums, products and comparisons of doubles, no
 * mathematical library, and numbers are printed from integers. */
#include "base/buffer.h"
#include "base/output.h"
#include "base/random.h"

enum {
    GROUPS = 4,
    REGIONS = 12,
    LANGUAGES = 6,
    EDUCATIONS = 6,
    OCCUPATIONS = 15,
    REFERRALS = 4,
    FLUSH_BYTES = 1 << 16
};

static const char *const group_names[GROUPS] = {"Amber", "Birch", "Cedar", "Dune"};
static const char *const region_names[REGIONS] = {"Alder",   "Brook",    "Cliff", "Delta",
                                                  "Elmwood", "Ford",     "Grove", "Heath",
                                                  "Isle",    "Junction", "Knoll", "Lakeside"};
static const char *const language_names[LANGUAGES] = {"English", "Português", "Türkçe",
                                                      "Español", "Polski",    "Tiếng Việt"};
static const char *const education_names[EDUCATIONS] = {"primary",  "secondary", "vocational",
                                                        "bachelor", "master",    "doctorate"};
static const char *const occupation_names[OCCUPATIONS] = {
    "building",  "care",       "catering", "clerical", "craft",  "driving",  "engineering", "farming",
    "logistics", "management", "none",     "public",   "retail", "research", "teaching"};
static const char *const referral_names[REFERRALS] = {"agency", "friend", "school", "web"};

/* Shares in thousandths; each row of a table sums to 1,000. */
static const int group_shares[GROUPS] = {720, 160, 80, 40};

static const int region_shares[GROUPS][REGIONS] = {
    {120, 110, 100, 40, 110, 100, 90, 100, 90, 40, 60, 40},
    {65, 80, 70, 155, 70, 75, 70, 70, 60, 140, 80, 65},
    {70, 70, 75, 60, 80, 80, 85, 70, 65, 65, 160, 120},
    {60, 80, 70, 70, 70, 75, 130, 75, 60, 80, 100, 130},
};

static const int language_shares[GROUPS][LANGUAGES] = {
    {900, 14, 14, 26, 36, 10},
    {715, 165, 30, 50, 25, 15},
    {700, 25, 155, 40, 35, 45},
    {690, 35, 30, 60, 25, 160},
};

static const int education_shares[GROUPS][EDUCATIONS] = {
    {40, 260, 270, 270, 130, 30},
    {110, 340, 250, 200, 80, 20},
    {140, 310, 280, 190, 65, 15},
    {60, 200, 190, 310, 180, 60},
};

static const int occupation_shares[GROUPS][OCCUPATIONS] = {
    {60, 70, 40, 110, 60, 50, 80, 30, 50, 100, 60, 90, 90, 40, 70},
    {95, 105, 70, 80, 55, 85, 50, 25, 90, 60, 80, 60, 85, 20, 40},
    {105, 70, 115, 70, 75, 80, 50, 50, 85, 50, 75, 50, 70, 20, 35},
    {35, 85, 90, 80, 40, 45, 115, 25, 50, 70, 75, 60, 105, 75, 50},
};

static const int referral_shares[GROUPS][REFERRALS] = {
    {200, 250, 300, 250},
    {330, 300, 170, 200},
    {300, 390, 130, 180},
    {220, 260, 270, 250},
};

typedef struct applicant {
    size_t group, region, language, education, occupation, referral;
    long age, hours, income, household;
    long distance_tenths, score_tenths;
    bool hours_missing, income_missing, referral_missing, admitted;
} applicant;

static size_t draw_from(eqp_random *random, const int *shares)
{
    int point = (int)eqp_random_below(random, 1000);
    size_t index = 0;
    while (point >= shares[index]) point -= shares[index++];
    return index;
}

/* Twelve uniforms, as in the textbooks of the sixties: nearly normal, and the same everywhere. */
static double draw_bell(eqp_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += eqp_random_unit(random);
    return sum;
}

static bool draw_chance(eqp_random *random, double chance)
{
    return eqp_random_unit(random) < chance;
}

static long between(double value, long low, long high)
{
    if (value < (double)low) return low;
    return value > (double)high ? high : (long)(value + 0.5);
}

static void draw_circumstances(eqp_random *random, applicant *a)
{
    static const double ages[GROUPS] = {44, 37, 36, 34}, households[GROUPS] = {2.2, 3.1, 3.7, 2.8};
    static const double distances[GROUPS] = {16, 10, 9, 12};
    double spread = draw_bell(random);
    a->age = between(ages[a->group] + 12.5 * draw_bell(random), 18, 80);
    a->household = between(households[a->group] + 1.3 * draw_bell(random), 1, 9);
    a->hours = between(37 + 9 * draw_bell(random) - (a->occupation == 10 ? 22 : 0), 0, 80);
    a->hours_missing = draw_chance(random, 0.03);
    a->distance_tenths = between(10 * (0.4 + distances[a->group] * (0.35 + 0.5 * spread * spread)), 4, 1500);
}

/* Squares of a bell are skewed as incomes are; education and age lift them. */
static void draw_income(eqp_random *random, applicant *a)
{
    static const double levels[GROUPS] = {1, 0.84, 0.80, 0.97};
    double luck = 1.5 + 0.5 * draw_bell(random);
    double ladder = 0.7 + 0.16 * (double)a->education + 0.004 * (double)(a->age - 18);
    a->income = 100 * between(levels[a->group] * ladder * (90 + 95 * luck * luck), 30, 9000);
    a->income_missing = draw_chance(random, a->group == 0 ? 0.06 : 0.10);
}

static void draw_assessment(eqp_random *random, applicant *a)
{
    double score =
        42 + 5.5 * (double)a->education + 0.05 * (double)(a->income / 1000) + 12 * draw_bell(random);
    a->score_tenths = between(10 * score, 0, 1000);
    a->referral = draw_from(random, referral_shares[a->group]);
    a->referral_missing = draw_chance(random, 0.28);
    double bonus = !a->referral_missing && a->referral == 2 ? 0.08 : 0;
    a->admitted = draw_chance(random, 0.0009 * (double)a->score_tenths - 0.28 + bonus);
}

static applicant draw_applicant(eqp_random *random)
{
    applicant a = {.group = draw_from(random, group_shares)};
    a.region = draw_from(random, region_shares[a.group]);
    a.language = draw_from(random, language_shares[a.group]);
    a.education = draw_from(random, education_shares[a.group]);
    a.occupation = draw_from(random, occupation_shares[a.group]);
    draw_circumstances(random, &a);
    draw_income(random, &a);
    draw_assessment(random, &a);
    return a;
}

static void add_number(eqp_buffer *line, long number, bool missing)
{
    if (!missing) eqp_buffer_printf(line, "%ld", number);
    eqp_buffer_text(line, ",");
}

/* The letter keeps the records of different seeds apart. */
static void add_applicant(eqp_buffer *text, const applicant *a, uint64_t seed, size_t number, bool with_group)
{
    eqp_buffer_printf(text, "%c%06zu,%ld,%s,%s,%s,", (char)('A' + seed % 26), number, a->age,
                      region_names[a->region], education_names[a->education],
                      occupation_names[a->occupation]);
    add_number(text, a->hours, a->hours_missing);
    add_number(text, a->income, a->income_missing);
    eqp_buffer_printf(text, "%ld,%s,%ld.%ld,%ld.%ld,%s,", a->household, language_names[a->language],
                      a->distance_tenths / 10, a->distance_tenths % 10, a->score_tenths / 10,
                      a->score_tenths % 10, a->referral_missing ? "NA" : referral_names[a->referral]);
    if (with_group) eqp_buffer_printf(text, "%s,", group_names[a->group]);
    eqp_buffer_text(text, a->admitted ? "yes\n" : "no\n");
}

static eqp_status flush(eqp_buffer *text, eqp_output *output, eqp_error *error)
{
    if (text->failed) return eqp_fail_memory(error);
    eqp_status status = eqp_output_write(output, text->bytes, text->length, error);
    text->length = 0;
    return status;
}

static eqp_status write_rows(eqp_output *output, size_t rows, uint64_t seed, bool with_group,
                             eqp_error *error)
{
    eqp_random random = eqp_random_from(seed, 0);
    eqp_buffer text = {0};
    eqp_status status = EQP_OK;
    eqp_buffer_printf(&text,
                      "record,age,region,education,occupation,hours,income,household,language,distance,score,"
                      "referral,%sadmitted\n",
                      with_group ? "group," : "");
    for (size_t i = 0; status == EQP_OK && i < rows; i++) {
        applicant a = draw_applicant(&random);
        add_applicant(&text, &a, seed, i + 1, with_group);
        if (text.length >= FLUSH_BYTES) status = flush(&text, output, error);
    }
    if (status == EQP_OK) status = flush(&text, output, error);
    eqp_buffer_free(&text);
    return status;
}

eqp_status eqp_population_write(const char *path, size_t rows, uint64_t seed, bool with_group,
                                eqp_error *error)
{
    eqp_output *output;
    eqp_status status = eqp_output_open(path, &output, error);
    if (status != EQP_OK) return status;
    status = write_rows(output, rows, seed, with_group, error);
    if (status == EQP_OK) return eqp_output_finish(output, error);
    eqp_output_abandon(output);
    return status;
}
