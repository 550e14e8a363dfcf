"""A certificate with which the parts of the S3 server authenticate each other; peers without it are refused."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from embedded.private import write_private

LIFETIME = timedelta(days=3650)  # longer than any server runs, because each start makes a new one


def write_certificate(folder: Path, *, name: str) -> tuple[str, str]:
    """Write a new key and its self-signed certificate (mode 0600), which is its own authority. Returns their file names
    (certificate, key)."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = (f"{name}.crt", f"{name}.key")
    form = serialization.PrivateFormat.PKCS8
    write_private(folder / files[0], made.public_bytes(serialization.Encoding.PEM).decode())
    secret = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    write_private(folder / files[1], secret.decode())
    return files
