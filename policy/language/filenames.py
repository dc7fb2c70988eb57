"""Takes file names apart for ``$F...()``, ``$BASENAME()`` and ``$DIRNAME()``.

Inputs: a file name as text, the flags, the working directory (text; empty leaves relative names
as they are).  Outputs: text.  The file system is not looked at.
Follows: condor_config_val 25.14.1 (golden vectors ``func``).
"""

from __future__ import annotations


def base_name(path: str, suffix: str = "") -> str:
    """What follows the last slash, without ``suffix`` (compared ignoring case)."""
    name = path.rpartition("/")[2]
    if suffix and name.casefold().endswith(suffix.casefold()):
        return name[: len(name) - len(suffix)]
    return name


def directory_name(path: str) -> str:
    """Everything up to and including the last slash."""
    directory, slash, _ = path.rpartition("/")
    return directory + slash


def file_name(flags: str, path: str, working_directory: str) -> str:
    """``$F<flags>(path)``; the flags are described in the manual, any case."""
    flags = flags.lower()
    path = unquoted(path)
    if "f" in flags and not path.startswith("/") and working_directory:
        path = f"{working_directory.rstrip('/')}/{path}"
    path = _with_separators(flags, path)
    result = _parts(flags, path)
    asked = set(flags) & set("pdnx")
    if "b" in flags and asked:
        result = result.removesuffix("/")
        if result == extension_of(path):
            result = result.removeprefix(".")
    if "q" in flags:
        mark = "'" if "a" in flags else '"'
        # The program writes only the opening mark around a part that is not there.
        return mark + result + mark if result or not asked & set("pnx") else mark
    return result


def unquoted(path: str) -> str:
    """The path without a quote before it, and without the same one behind it."""
    if path[:1] not in ('"', "'"):
        return path
    return path[1:].removesuffix(path[0])


def _with_separators(flags: str, path: str) -> str:
    """The path with the separators that the last of ``u`` and ``w`` asks for.

    It is taken apart afterwards, at slashes alone: ``w`` leaves it in one piece.
    """
    last = max(flags.rfind("u"), flags.rfind("w"))
    if last < 0:
        return path
    return path.replace("\\", "/") if flags[last] == "u" else path.replace("/", "\\")


def extension_of(path: str) -> str:
    """The last dot and what follows it, unless the name begins with that dot."""
    name = base_name(path)
    dot = name.rfind(".")
    return name[dot:] if dot > 0 else ""


def _parts(flags: str, path: str) -> str:
    """The parts that ``p``, ``d``, ``n`` and ``x`` select; the whole without any of them."""
    if not set(flags) & set("pdnx"):
        return path
    directory, name, extension = directory_name(path), base_name(path), extension_of(path)
    result = ""
    if "d" in flags:
        folders = [f"{folder}/" for folder in directory.split("/")[:-1]]
        wanted = flags.count("d")
        if folders and wanted > len(folders):
            return ""
        result = "".join(folders[-wanted:])
    elif "p" in flags:
        result = directory
    if "n" in flags or ("x" in flags and result):
        result += name.removesuffix(extension)
    return result + (extension if "x" in flags else "")
