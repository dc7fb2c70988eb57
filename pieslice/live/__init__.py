"""Captures pools that run: reads what their daemons say, with READ rights only; never changes
anything in a pool.

For other parts of the program, and for those that keep what was captured:

``taking.take(daemons, wanted, memory)`` reads a pool and gives a ``capture.LiveCapture``, a value:

- ``parts``: name of a part -> ads in long form, one text (``slots``, ``submitters``, ``schedds``,
  ``jobs``, ``claims``, ``accounting``, ``negotiator``); ``ads(part)`` parses them;
- ``config``: the text of the configuration that decides the cycle;
- ``manifest``: what ``capture.json`` has: ``began`` and ``ended`` (seconds since the epoch by this
  machine's clock), ``parts`` with the time, bytes and number of ads of each, ``versions``,
  ``missing`` (lines of text; ``silent``: those of daemons that did not answer), ``cycle``: the
  times of the last cycle.

``LiveCapture.write(folder)`` writes the folder of a capture as every command takes it
(``pieslice help captures``), beside its place and then renamed; ``capture.read(folder)`` gives the
value again.  Two captures of one pool have the same parts; slots are told apart by ``Name``, jobs
by ``GlobalJobId``, submitters by ``Name`` and ``ScheddName``, accounting records by ``Name``.  The
order of slots and submitters is that of the negotiator and has to be kept.

A recorder gets each capture and what became of the cycle after it: ``append(capture, outcome)``,
``outcome`` what shadow found out, or None where no cycle followed.
"""
