// Two ways to use the page, with the same words: a mouse, and a keyboard alone.
const MOST_TABS = 250;

export class Mouse {
  constructor(page) { Object.assign(this, { page, clicks: 0 }); }

  async press(id) {
    await this.page.waitForSelector(`[id="${id}"]:not([disabled])`);
    await this.page.click(`[id="${id}"]`);
    this.clicks++;
  }

  tick(id) { return this.press(id); }

  // A list is opened with one click, and an entry chosen with another.
  async choose(id, value) {
    await this.page.waitForSelector(`[id="${id}"] option[value="${value}"]`, { state: 'attached' });
    await this.page.selectOption(`[id="${id}"]`, value);
    this.clicks += 2;
  }

  async write(id, text) {
    await this.press(id);
    await this.page.keyboard.type(text);
  }

  // Drags the dial to its n-th stop.
  async turn(id, stop) {
    const dial = await this.page.locator(`[id="${id}"]`), box = await dial.boundingBox(), most = Number(await dial.getAttribute('max'));
    const at = index => box.x + 8 + (box.width - 16) * index / most, y = box.y + box.height / 2;
    await dial.scrollIntoViewIfNeeded();
    await this.page.mouse.move(at(Number(await dial.inputValue())), y);
    await this.page.mouse.down();
    await this.page.mouse.move(at(stop), y, { steps: 5 });
    await this.page.mouse.up();
    this.clicks++;
  }

  go(room) { return this.press('next').then(() => this.page.waitForFunction(name => location.hash === `#${name}`, room)); }
}

export class Keyboard {
  constructor(page) { Object.assign(this, { page, clicks: 0 }); }

  focused() { return this.page.evaluate(() => document.activeElement?.id ?? ''); }

  // Tab after Tab, as somebody does who has no mouse; the focus must be seen all the way.
  async reach(id) {
    await this.page.waitForSelector(`[id="${id}"]:not([disabled])`);
    for (let tabs = 0; tabs < MOST_TABS; tabs++) {
      if (await this.focused() === id) return;
      await this.page.keyboard.press('Tab');
      const hidden = await this.page.evaluate(() => document.activeElement.matches('a,button,input,select,textarea') &&
        getComputedStyle(document.activeElement).outlineStyle === 'none' && document.activeElement.outerHTML);
      if (hidden) throw new Error(`the focus is not to be seen: ${hidden.slice(0, 100)}`);
    }
    throw new Error(`"${id}" is not reached by Tab`);
  }

  async press(id) { await this.reach(id); await this.page.keyboard.press('Enter'); }
  async write(id, text) { await this.reach(id); await this.page.keyboard.type(text); }

  // One of several buttons that exclude each other: Tab leads to the first, arrows to the others.
  async tick(id) {
    const control = this.page.locator(`[id="${id}"]`);
    await control.waitFor();
    if (await control.getAttribute('type') === 'checkbox') {
      await this.reach(id);
      return this.page.keyboard.press('Space');
    }
    const group = await control.getAttribute('name');
    const members = await this.page.$$eval(`[name="${group}"]`, list => list.map(each => [each.id, each.checked]));
    await this.reach((members.find(each => each[1]) ?? members[0])[0]);
    for (let i = 0; await this.focused() !== id; i++) {
      if (i > members.length) throw new Error(`"${id}" is not reached by arrows`);
      await this.page.keyboard.press('ArrowDown');
    }
    if (!await control.isChecked()) await this.page.keyboard.press('Space');
  }

  // Typing the first letters chooses the entry.
  async choose(id, value) {
    await this.page.waitForSelector(`[id="${id}"] option[value="${value}"]`, { state: 'attached' });
    await this.reach(id);
    await this.page.keyboard.type(value, { delay: 40 });
    await this.page.waitForFunction(([name, wanted]) => document.getElementById(name).value === wanted, [id, value]);
  }

  async turn(id, stop) {
    await this.reach(id);
    for (let i = 0; i < 40; i++) {
      const now = Number(await this.page.inputValue(`[id="${id}"]`));
      if (now === stop) return;
      await this.page.keyboard.press(now < stop ? 'ArrowRight' : 'ArrowLeft');
    }
    throw new Error(`"${id}" does not move by arrows`);
  }

  async go(room) {
    await this.press('next');
    await this.page.waitForFunction(name => location.hash === `#${name}`, room);
  }
}
