"""Signatures of certificates against another implementation of Ed25519 (libsodium, by PyNaCl)."""
import json
import os
import re
import subprocess

import nacl.signing
import pytest

import equipoise

PROGRAM = os.environ["EQUIPOISE_PROGRAM"]
LINE = re.compile(r'^ "signature": "([0-9a-f]{128})",\n', re.M)


def run(folder, *words):
    return subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True)


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    """A folder with a model, labelled records, a key and a certificate that it signed."""
    folder = tmp_path_factory.mktemp("signed")
    equipoise.write_population(folder / "training.csv", 2000)
    equipoise.write_population(folder / "labelled.csv", 2000, seed=2)
    done = run(folder, "learn", "training.csv", "-s", "group", "--ignore", "record,admitted", "-q", "-o", "a.model")
    assert done.returncode == 0, done.stderr
    assert run(folder, "key", "new", "--signing", "officer.key").returncode == 0
    run(folder, "audit", "-m", "a.model", "labelled.csv", "-q", "-d", "0.9", "--certificate", "a.certificate", "--signing-key", "officer.key")
    return folder


def secret(folder):
    return nacl.signing.SigningKey(bytes.fromhex((folder / "officer.key").read_text().split()[1]))


def test_public_key_is_that_of_the_secret_one(signed):
    signer = (signed / "officer.key.pub").read_text().split()[1]
    assert secret(signed).verify_key.encode().hex() == signer


def test_signature_is_the_one_that_libsodium_makes(signed):
    text = (signed / "a.certificate").read_text()
    signature, message = LINE.search(text)[1], LINE.sub("", text).encode()
    secret(signed).verify_key.verify(message, bytes.fromhex(signature))
    assert secret(signed).sign(message).signature.hex() == signature


def test_a_signature_of_libsodium_is_accepted_and_a_strangers_is_not(signed):
    text = (signed / "a.certificate").read_text()
    signature, message = LINE.search(text)[1], LINE.sub("", text).encode()
    for key, expected in ((secret(signed), 0), (nacl.signing.SigningKey.generate(), 1)):
        other = text.replace(signature, key.sign(message).signature.hex())
        (signed / "other.certificate").write_text(other)
        done = run(signed, "verify", "--certificate", "other.certificate", "-m", "a.model", "--signer", "officer.key.pub", "--json")
        assert done.returncode == expected, done.stdout + done.stderr
        assert json.loads(done.stdout)["signer_known"] == (expected == 0)
