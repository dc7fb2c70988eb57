"""Packs the extension for Visual Studio Code: ``python editors/pack.py build/pieslice.vsix``.

The client is put together by npm, with the licences of what is in it; where there is no npm the
extension has the colours alone, and says so.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

FOLDER = Path(__file__).parent / "vscode"
FILES = (
    "package.json", "language-configuration.json", "README.md",
    "syntaxes/condor-config.tmLanguage.json", "syntaxes/classad.tmLanguage.json",
)  # fmt: skip
TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="json" ContentType="application/json"/>
<Default Extension="js" ContentType="application/javascript"/>
<Default Extension="md" ContentType="text/markdown"/>
<Default Extension="txt" ContentType="text/plain"/>
<Default Extension="vsixmanifest" ContentType="text/xml"/>
</Types>
"""
MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata>
<Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}"/>
<DisplayName>{displayName}</DisplayName>
<Description>{description}</Description>
<Categories>Programming Languages,Linters</Categories>
<Properties>
<Property Id="Microsoft.VisualStudio.Code.Engine" Value="{engine}"/>
</Properties>
</Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets>
<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json"/>
</Assets>
</PackageManifest>
"""


def client() -> dict[str, bytes]:
    """The client and the licences of what is in it, by file; empty where there is no npm."""
    npm = shutil.which("npm")
    if npm is None:
        print("there is no npm: the extension has the colours alone", file=sys.stderr)
        return {}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name in ("package.json", "extension.js"):
            shutil.copy(FOLDER / name, folder)
        for words in (["install", "--silent", "--no-audit", "--no-fund"], ["run", "bundle"]):
            subprocess.run([npm, *words], cwd=folder, check=True, stdout=sys.stderr)
        licences = []
        for package in sorted((folder / "node_modules").iterdir()):
            texts = sorted(package.glob("[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*"))
            if texts and package.name != "esbuild":
                licences.append(f"{package.name}\n\n{texts[0].read_text(encoding='utf-8')}")
        notices = "\n\n----\n\n".join(licences).encode()
        return {"client.js": (folder / "client.js").read_bytes(), "NOTICES.txt": notices}


def pack(target: Path) -> None:
    """Write the extension."""
    files = {name: (FOLDER / name).read_bytes() for name in FILES}
    files["LICENSE.txt"] = (FOLDER.parents[1] / "LICENSE").read_bytes()
    package = json.loads(files["package.json"])
    brought = client()
    for key in ("scripts", "dependencies", "devDependencies"):
        package.pop(key)
    if not brought:
        package.pop("main")
        package.pop("activationEvents")
    files.update(brought, **{"package.json": json.dumps(package, indent=1).encode()})
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        manifest = MANIFEST.format(engine=package["engines"]["vscode"], **package)
        archive.writestr("extension.vsixmanifest", manifest)
        for name, content in files.items():
            archive.writestr(f"extension/{name}", content)


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
