"""Makes the pre-defined macros out of facts about a machine.

Inputs: what the caller knows or wants to pretend (``policy.io`` asks the operating system).
Outputs: the macros HTCondor sets itself, before any file is read (``detected``) and after all of
them (``specials``, which no file can override).
Follows: the pre-defined macros of the HTCondor manual; order observed with 25.14.1.
"""

from __future__ import annotations

from attr import frozen

from policy.language.table import Context


@frozen(kw_only=True)
class HostFacts:
    """A machine.  ``detected_memory_mb`` is in MiB.

    ``home`` is the folder of the user who reads; only a reader that is no administrator has a
    configuration file of his own.
    """

    arch: str = "X86_64"
    opsys: str = "LINUX"
    opsys_ver: str = ""
    opsys_and_ver: str = ""
    detected_cpus: int = 1
    detected_physical_cpus: int = 1
    detected_memory_mb: int = 1024
    hostname: str = "localhost"
    full_hostname: str = "localhost"
    ip_address: str = "127.0.0.1"
    ipv6_address: str = ""
    username: str = "condor"
    real_uid: int = 0
    real_gid: int = 0
    pid: int = 0
    ppid: int = 0
    tilde: str = ""
    home: str = ""
    is_admin: bool = True
    python3: str = ""
    working_directory: str = ""

    def detected(self, context: Context) -> dict[str, str]:
        """Macros set before the first file; files may override them."""
        return {
            "ARCH": self.arch,
            "OPSYS": self.opsys,
            "OPSYSVER": self.opsys_ver,
            "OPSYSANDVER": self.opsys_and_ver,
            "UNAME_ARCH": self.arch.lower(),
            "UNAME_OPSYS": self.opsys.capitalize(),
            "DETECTED_MEMORY": str(self.detected_memory_mb),
            "DETECTED_CORES": str(self.detected_cpus),
            "DETECTED_PHYSICAL_CPUS": str(self.detected_physical_cpus),
            "CondorIsAdmin": "true" if self.is_admin else "false",
            "PYTHON3": self.python3,
            **self.specials(context),
        }

    def specials(self, context: Context) -> dict[str, str]:
        """Macros set again after the last file."""
        return {
            "HOSTNAME": self.hostname,
            "FULL_HOSTNAME": self.full_hostname,
            "SUBSYSTEM": context.subsystem,
            "LOCALNAME": context.local_name or context.subsystem,
            "USERNAME": self.username,
            "REAL_UID": str(self.real_uid),
            "REAL_GID": str(self.real_gid),
            "PID": str(self.pid),
            "PPID": str(self.ppid),
            "IP_ADDRESS": self.ip_address,
            "IPV4_ADDRESS": self.ip_address,
            "IPV6_ADDRESS": self.ipv6_address,
            "DETECTED_CPUS": str(self.detected_cpus),
            "TILDE": self.tilde,
        }
