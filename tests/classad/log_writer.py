"""A process that commits numbered transactions to a log until it is killed.

Usage: ``log_writer.py PATH MAX_SIZE``.  After each commit it prints the number, so that whoever
kills it knows what must have survived.
"""

import sys
from itertools import count
from pathlib import Path

from classad.files.log import new_ad, set_attribute
from classad.files.log_file import LogFile

with LogFile(Path(sys.argv[1]), now=1_700_000_000, max_size=int(sys.argv[2])) as log:
    first = int(log.log.table.get("Customer.a@x", {}).get("Floor", "0"))
    for number in count(first + 1):
        log.commit(
            [
                new_ad("Customer.a@x"),
                *(set_attribute("Customer.a@x", f"A{i}", f"{number}.000000") for i in range(20)),
                set_attribute("Customer.a@x", "Floor", str(number)),
            ]
        )
        print(number, flush=True)
