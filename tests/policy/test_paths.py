"""What daemons run, and what they mount: whole paths, without quotes."""

from __future__ import annotations

import pytest

from policy.knobs.choices import HOOKS
from tests.policy.test_lint import found, ids

CRON = "STARTD_CRON_JOBLIST = A\nSTARTD_CRON_A_PERIOD = 5m\nSTARTD_CRON_A_EXECUTABLE = {}\n"
HOOK = "STARTER_JOB_HOOK_KEYWORD = SITE\nSITE_HOOK_PREPARE_JOB = {}\n"
RUN = {
    "a job of a cron": CRON,
    "a job of the schedd's cron": CRON.replace("STARTD", "SCHEDD"),
    "a hook": HOOK,
    "a plugin": "FILETRANSFER_PLUGINS = {}\n",
    "what starts each job": "USER_JOB_WRAPPER = {}\n",
}
WHOLE = (
    *("/srv/site/bin/health", "$(LIBEXEC)/health", "$(RELEASE_DIR)/bin/health"),
    *(r"C:\condor\bin\health.exe", "C:/condor/bin/health.exe", r"\\server\share\health.exe"),
)


@pytest.mark.parametrize("what", RUN)
@pytest.mark.parametrize("path", ["health", "bin/health", "./health", "../libexec/health"])
def test_what_a_daemon_runs_has_its_whole_path(what: str, path: str) -> None:
    """None is looked for in PATH."""
    [item] = found(RUN[what].format(path))
    assert (item.id, item.source is not None) == ("P137", True)
    assert f"`{path}`" in item.message


@pytest.mark.parametrize("what", RUN)
@pytest.mark.parametrize("path", WHOLE)
def test_a_whole_path_is_one_on_either_system(what: str, path: str) -> None:
    assert found(RUN[what].format(path)) == []


@pytest.mark.parametrize("what", RUN)
def test_a_path_that_another_file_begins_is_not_judged(what: str) -> None:
    assert "P137" not in [name for name, _ in ids(RUN[what].format("$(SITE_BIN)health"))]


def test_each_plugin_of_a_list_has_its_own_path() -> None:
    [item] = found("FILETRANSFER_PLUGINS = $(LIBEXEC)/curl_plugin, s3_plugin, /srv/p\n")
    assert "`s3_plugin`" in item.message


@pytest.mark.parametrize("hook", HOOKS)
def test_arguments_and_times_of_a_hook_are_no_paths(hook: str) -> None:
    text = f"STARTER_JOB_HOOK_KEYWORD = SITE\nSITE_HOOK_{hook} = /srv/hook\n"
    assert found(f"{text}SITE_HOOK_{hook}_ARGS = now here\nSITE_HOOK_{hook}_TIMEOUT = 60\n") == []


@pytest.mark.parametrize("what", RUN)
@pytest.mark.parametrize("quote", ['"', "'"])
def test_quotes_are_part_of_what_a_daemon_runs(what: str, quote: str) -> None:
    [item] = found(RUN[what].format(f"{quote}/srv/site/health{quote}"))
    assert item.id == "P213"


@pytest.mark.parametrize("macro", ["SINGULARITY", "DOCKER", "JAVA", "MAIL"])
def test_so_they_are_where_a_program_is_named(macro: str) -> None:
    """These are looked for in PATH where they have no whole one."""
    assert ids(f'{macro} = "/usr/local/bin/program"\n') == [("P213", 1)]
    assert found(f"{macro} = /usr/local/bin/program\n") == []
    assert found(f"{macro} = program\n") == []


@pytest.mark.parametrize(
    "value", ["tmp", "tmp, /var/tmp", "tmp/scratch", "True", "5", "TARGET.RequestDisk > 5"]
)
def test_folders_for_jobs_are_a_text(value: str) -> None:
    """Or else no job starts."""
    [item] = [one for one in found(f"MOUNT_UNDER_SCRATCH = {value}\n") if one.id == "P138"]
    assert item.severity == "error"


@pytest.mark.parametrize(
    "value",
    [
        *("/tmp", "/tmp, /var/tmp", '"/tmp,/var/tmp"', '"/tmp /var/tmp"', ""),
        *('ifThenElse(TARGET.JobUniverse == 7, "", "/tmp")', 'strcat("/tmp", ",/scratch")'),
        *("TARGET.Folders", "$(FOLDERS_OF_SITE), /tmp"),
    ],
)
def test_an_expression_may_come_to_the_text_and_plain_folders_are_one(value: str) -> None:
    assert "P138" not in [name for name, _ in ids(f"MOUNT_UNDER_SCRATCH = {value}\n")]


@pytest.mark.parametrize(
    ("value", "folders"),
    [
        ('"tmp, /var/tmp"', ["tmp"]),
        ('"tmp,scratch"', ["tmp", "scratch"]),
        ("/tmp, scratch", ["scratch"]),
    ],
)
def test_a_folder_for_jobs_has_its_whole_path(value: str, folders: list[str]) -> None:
    items = found(f"MOUNT_UNDER_SCRATCH = {value}\n")
    assert [(one.id, one.message) for one in items] == [
        ("P138", f"`{folder}` is no whole path") for folder in folders
    ]


@pytest.mark.parametrize("first", ['"/tmp"', "$(MOUNT_UNDER_SCRATCH)"])
@pytest.mark.parametrize("second", ["/scratch", '"/scratch"'])
def test_folders_behind_a_text_in_quotes_are_passed_over(first: str, second: str) -> None:
    [item] = found(f"MOUNT_UNDER_SCRATCH = {first}, {second}\n")
    assert item.id == "P138"
    assert f"`{second}` stands behind" in item.message


@pytest.mark.parametrize(
    "macro", ["LOG", "SPOOL", "EXECUTE", "SEC_PASSWORD_DIRECTORY", "SCHEDD_LOG", "SINGULARITY"]
)
def test_no_shell_reads_a_path(macro: str) -> None:
    assert ids(f"{macro} = ~/somewhere\n") == [("P137", 1)]
    assert ids(f"{macro} = ~condor/somewhere\n") == [("P137", 1)]
    assert found(f"{macro} = $ENV(HOME)/somewhere\n") == []


@pytest.mark.parametrize("macro", ["LOG", "SPOOL", "EXECUTE"])
@pytest.mark.parametrize("between", [", ", " ", ","])
def test_what_a_daemon_keeps_is_in_one_folder(macro: str, between: str) -> None:
    assert ids(f"{macro} = /a/condor{between}/b/condor\n") == [("P137", 1)]


@pytest.mark.parametrize("macro", ["LOG", "SPOOL", "EXECUTE", "LOCAL_DIR"])
def test_it_is_the_same_folder_wherever_a_daemon_runs(macro: str) -> None:
    assert ids(f"{macro} = here\n") == [("P137", 1)]
    assert ids(f"{macro} = ./here\n") == [("P137", 1)]
    assert found(f"{macro} = /var/here\n") == []


@pytest.mark.parametrize(
    ("what", "macro"), [("a job of a cron", "STARTD_CRON_A_ARGS"), ("a hook", "_ARGS")]
)
def test_arguments_stand_beside_a_program(what: str, macro: str) -> None:
    [item] = found(RUN[what].format("/srv/health -v"))
    assert (item.id, macro in (item.help or "")) == ("P137", True)


def test_a_job_of_a_cron_runs_in_a_folder_of_a_whole_path() -> None:
    text = CRON.format("/srv/health")
    assert ids(f"{text}STARTD_CRON_A_CWD = work\n") == [("P137", 4)]
    assert found(f"{text}STARTD_CRON_A_CWD = /work\n") == []


VOLUMES = "DOCKER_MOUNT_VOLUMES = DATA\nDOCKER_VOLUME_DIR_DATA = {}\n"


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("data", "data"),
        ("data:/data", "data"),
        ("/data:data", "data"),
        ("/data:ro", "ro"),
        ("./data:/data:ro", "./data"),
        ("/data /mnt", "/data /mnt"),
        ("/data, /mnt", "/data, /mnt"),
        ('"data:/data"', "data"),
        ("/data:/mnt:RO", "RO"),
        ("/data:/mnt:readonly", "readonly"),
        ("/data:/mnt:ro:z", "ro:z"),
    ],
)
def test_a_folder_of_a_container_is_a_whole_path_on_both_sides(text: str, marked: str) -> None:
    """What Docker refuses, and what makes a folder to write to of one that should not be."""
    [item] = found(VOLUMES.format(text))
    assert item.id == "P137"
    assert item.source is not None
    assert item.source.text[item.start : item.end] == marked


@pytest.mark.parametrize(
    "text",
    [
        *("/data", "/data:/mnt", "/data:/mnt:ro", "/data:/mnt:rw", '"/data:/mnt"', "/a-b_c.d:/e"),
        *("/data:/mnt:ro,rslave", "/data:/mnt:rslave", "$(SITE_DATA)", "$(SITE_DATA):/data"),
    ],
)
def test_a_volume_is_one_path_or_two_with_what_they_allow(text: str) -> None:
    assert [item for item in found(VOLUMES.format(text)) if item.id != "P120"] == []


@pytest.mark.parametrize("which", ["DOCKER_VOLUMES", "DOCKER_MOUNT_VOLUMES"])
def test_a_volume_needs_its_folder(which: str) -> None:
    beside = "DOCKER_MOUNT_VOLUMES = A\n" if which == "DOCKER_VOLUMES" else ""
    text = f"{beside}{which} = A, B\nDOCKER_VOLUME_DIR_A = /a\n"
    assert [item.id for item in found(text)] == ["P211"]
    assert found(f"{text}DOCKER_VOLUME_DIR_B = /b\n") == []


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/condor/*", "/etc/condor/config.d/*.conf", '"/etc/condor/config.d"'),
        *("/etc/condor/condor_config.local", "$(ETC)/site.conf", "/a/config.d, /a/b.config"),
    ],
)
def test_files_of_a_configuration_are_in_folders(path: str) -> None:
    """The daemons of 25.14.1 start, and have read nothing."""
    (item,) = found(f"LOCAL_CONFIG_DIR = {path}\n")
    assert (item.id, item.line) == ("P137", 1)


@pytest.mark.parametrize(
    "path", ["/etc/condor/config.d", "/a.d /b", "$(ETC)/config.d/, /etc/condor/local.conf.d", ""]
)
def test_any_folder_may_have_files_of_a_configuration(path: str) -> None:
    assert found(f"LOCAL_CONFIG_DIR = {path}\n") == []


NOTHING_BETWEEN = [
    "LOG = $(LOCAL_DIR)log",
    "EVENT_LOG = $(LOG)EventLog",
    "SEC_PASSWORD_FILE = $(local_dir)passwords",
    "STARTD_HISTORY = $(SPOOL)startd_history",
    "LOCAL_CONFIG_DIR = /etc/condor/config.d, $(LOCAL_DIR)config",
]


@pytest.mark.parametrize("line", NOTHING_BETWEEN)
def test_a_folder_and_a_name_have_a_slash_between_them(line: str) -> None:
    """Unless the folder's own value ends with one."""
    assert ("P137", 1) in ids(f"{line}\n")
    assert ids(f"{line.replace(')', ')/')}\n") == []
    folders = "".join(f"{name} = /srv/{name}/\n" for name in ("LOCAL_DIR", "LOG", "SPOOL"))
    kept = [name for name, number in ids(f"{folders}{line}\n") if number == 4]
    assert kept == []
    assert ids("SITE_PREFIX = $(LOG)x\nMASTER_LOG = $(LOG)/$(SITE_PREFIX)\n") == []


@pytest.mark.parametrize("wrapper", ["/usr/bin/nice -n 5", "$(LIBEXEC)/limit --cpus 2"])
def test_what_starts_each_job_has_no_options(wrapper: str) -> None:
    """Asked of 25.14.1 with a job: `Cannot find/execute`, and it is idle again."""
    [item] = found(f"USER_JOB_WRAPPER = {wrapper}\n")
    assert (item.id, item.line) == ("P137", 1)


@pytest.mark.parametrize("macro", ["PER_JOB_HISTORY_DIR", "JOB_EPOCH_HISTORY_DIR"])
def test_a_folder_of_histories_has_its_whole_path(macro: str) -> None:
    """A schedd of 25.14.1 disables the history of a relative one."""
    assert ids(f"{macro} = history\n") == [("P137", 1)]
    assert found(f"{macro} = $(SPOOL)/history\n") == []


@pytest.mark.parametrize("text", ["(LOCAL_DIR)/spool", "(RELEASE_DIR)/x/spool"])
def test_parentheses_alone_are_no_reference(text: str) -> None:
    """As condor_config_val prints them."""
    [item] = found(f"SPOOL = {text}\n")
    assert (item.id, item.line) == ("P121", 1)
    assert "did you mean `$(" in (item.help or "")
    assert found(f"SPOOL = ${text}\n") == []


def test_parentheses_of_an_expression_are_no_reference() -> None:
    assert all(item.id != "P121" for item in found("START = (LOG)/2 > 1 || True\n"))


@pytest.mark.parametrize("macro", ["LOCAL_DIR", "RELEASE_DIR", "EVENT_LOG", "HISTORY", "LOCK"])
def test_quotes_are_letters_of_a_path(macro: str) -> None:
    assert ids(f'{macro} = "/srv/condor"\n') == [("P213", 1)]
    assert ids(f"{macro} = /srv/condor\n") == []


@pytest.mark.parametrize(
    "macro", ["SEC_PASSWORD_FILE", "SEC_TOKEN_DIRECTORY", "AUTH_SSL_SERVER_CAFILE"]
)
def test_a_secret_has_a_whole_path(macro: str) -> None:
    for path in ("POOL", "ca.pem", "passwords.d/POOL"):
        assert ids(f"{macro} = {path}\n") == [("P137", 1)]
    for path in ("/etc/condor/POOL", "$(ETC)/POOL", "$(SEC_PASSWORD_DIRECTORY)/POOL", ""):
        assert ids(f"{macro} = {path}\n") == []


@pytest.mark.parametrize("word", ["True", "False", "yes", "NO", "off"])
@pytest.mark.parametrize(
    "macro", ["EVENT_LOG", "HISTORY", "SCHEDD_AUDIT_LOG", "DOCKER", "PREEN", "STARTD_LOG"]
)
def test_a_word_for_on_or_off_is_no_file_and_no_program(macro: str, word: str) -> None:
    """Asked of 25.14.1: a collector keeps its ads in a file `True`, a startd ends as it cannot open
    the log `False`, a master finds no program `False`."""
    assert ids(f"{macro} = {word}\n") == [("P137", 1)]
    assert found(f"{macro} =\n") == []


@pytest.mark.parametrize("macro", ["KEEP_POOL_HISTORY", "ENABLE_HISTORY_ROTATION"])
def test_what_is_a_switch_may_be_called_as_a_file_is(macro: str) -> None:
    assert found(f"{macro} = True\n") == []


@pytest.mark.parametrize("word", ["True", "False", "no"])
@pytest.mark.parametrize(
    "macro", ["FLOCK_TO", "CONDOR_VIEW_HOST", "CCB_ADDRESS", "ALLOW_WRITE", "DENY_READ"]
)
def test_a_word_for_on_or_off_is_no_host(macro: str, word: str) -> None:
    """Asked of 25.14.1: `Will forward ads on to View Server False`, and the like."""
    assert ("P235", 1) in ids(f"{macro} = {word}\n")


def test_all_daemons_end_at_a_switch_for_an_interface() -> None:
    [item] = found("NETWORK_INTERFACE = True\n")
    assert (item.id, item.severity) == ("P235", "error")
    for switch in ("ALLOW_PSLOT_PREEMPTION", "ALLOW_SUBMIT_FROM_KNOWN_USERS_ONLY"):
        assert all(one != "P235" for one, _ in ids(f"{switch} = True\n"))


@pytest.mark.parametrize("folder", ["$(SBIN)", "$(BIN)", "$(LIBEXEC)", "/usr/sbin"])
def test_a_slip_in_the_name_of_a_program_of_htcondor_is_said(folder: str) -> None:
    for slip, meant in (("condor_pren", "condor_preen"), ("condor_shedd", "condor_schedd")):
        (said,) = [one for one in found(f"PREEN = {folder}/{slip}\n") if one.id == "P139"]
        assert said.help == f"did you mean `{meant}`?"
    # What a site has put there, and names of programs of the past.
    for other in ("my_preen.sh", "condor_starter.std", "condor_preen", "condor_schedd.real"):
        assert "P139" not in [one.id for one in found(f"PREEN = {folder}/{other}\n")]
    assert "P139" not in [one.id for one in found("PREEN = /srv/site/condor_pren\n")]
