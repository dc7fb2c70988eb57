"""Parts of file names, for ``$F...()``, ``$BASENAME()`` and ``$DIRNAME()``.

Inputs: a file name as text, the flags, the working directory (text; empty leaves relative names
as they are).  Outputs: text.  Never here: looking at the file system.
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
    path = _unquoted(path)
    if "f" in flags and not path.startswith("/") and working_directory:
        path = f"{working_directory.rstrip('/')}/{path}"
    result = _parts(flags, path)
    if "b" in flags:
        result = result.removesuffix("/")
        if "n" not in flags and "p" not in flags:
            result = result.removeprefix(".")
    if "u" in flags:
        result = result.replace("\\", "/")
    elif "w" in flags:
        result = result.replace("/", "\\")
    if "q" in flags:
        mark = "'" if "a" in flags else '"'
        # The program writes only the opening mark around nothing.
        return mark + result + mark if result else mark
    return result


def _unquoted(path: str) -> str:
    if len(path) >= 2 and path[0] == path[-1] and path[0] in "\"'":
        return path[1:-1]
    return path


def _parts(flags: str, path: str) -> str:
    """The parts that ``p``, ``d``, ``n`` and ``x`` select; the whole without any of them."""
    if not set(flags) & set("pdnx"):
        return path
    directory, name = directory_name(path), base_name(path)
    dot = name.rfind(".")
    stem, extension = (name[:dot], name[dot:]) if dot > 0 else (name, "")
    result = ""
    if "p" in flags:
        result = directory
    elif "d" in flags:
        parts = directory.rstrip("/").split("/")
        last = "/".join(parts[-flags.count("d") :])
        result = f"{last}/" if last else ""
    with_stem = "n" in flags or ("x" in flags and ("p" in flags or "d" in flags))
    return result + (stem if with_stem else "") + (extension if "x" in flags else "")
