"""A tour of Greenroom on real processes. Run it with `make demo`."""

import argparse
import os
import signal
import sys
import time

sys.dont_write_bytecode = True
from show import Show  # noqa: E402
from storms.files import text, write  # noqa: E402
from storms.places import APPS, BIN  # noqa: E402
from storms.system import System  # noqa: E402
from storms.waiting import Failed, wait_for  # noqa: E402
from tour import Tour  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--tools", default=BIN, help="the folder of greenroom")
    parser.add_argument("--apps", default=APPS, help="the folder of the example apps")
    parser.add_argument("--record", metavar="DIR", help="keep log, reports, timeline (trace.json) and journal there")
    parser.add_argument("--keep", action="store_true", help="leave the system running")
    parser.add_argument("--pause", type=float, default=3.5, help="seconds between the steps, on a terminal")
    return parser.parse_args()


def interrupted(number, frame):
    raise KeyboardInterrupt


def main():
    chosen = arguments()
    for folder in (chosen.tools, chosen.apps):
        if not os.path.isdir(folder):
            sys.exit(f"{folder} is missing: make demo builds it")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    show = Show(chosen.pause)
    system = System(chosen.tools)
    tour = Tour(system, show, chosen.apps)
    began = time.monotonic()
    code, stays = 1, False
    try:
        tour.take()
        code, stays = 0, chosen.keep
        tour.keeps = stays
    except Failed as failure:
        show.line()
        show.bad(str(failure))
        show.output(text(os.path.join(system.home, "daemon.log")))
    except KeyboardInterrupt:
        show.line()
        show.bad("interrupted")
        code = 130
    finally:
        if not finish(system, show, chosen, stays):
            code = code or 1
    if code == 0:
        summary(tour, show, time.monotonic() - began)
    if chosen.record and os.path.isdir(chosen.record):
        write(os.path.join(chosen.record, "transcript.txt"), "\n".join(show.transcript) + "\n")
    return code


def finish(system, show, chosen, stays):
    """Records, takes the system down, and looks for what it left; false when that is anything."""
    try:
        if chosen.record:
            system.record(os.path.abspath(chosen.record))
    except (Failed, OSError) as failure:
        show.bad(f"the recording is not complete: {failure}")
    if stays:
        explain_keeping(system, show)
        return True
    if not os.path.isdir(system.home):
        system.remove()
        return True
    result = system.down()
    if result.code != 0:
        show.bad(f"greenroom down: {result.output.strip()}")
        system.down("--force")
    try:
        # Processes are gone a moment before the kernel has forgotten them.
        wait_for("the end", lambda: not system.leftovers(), 2)
    except Failed:
        show.bad("something is left: " + ", ".join(system.leftovers()))
        return False
    system.remove()
    return True


def explain_keeping(system, show):
    show.heading("Yours", "The system runs on. In this or another terminal:")
    show.command(f"export GREENROOM_HOME={system.home} PATH={system.tools}:$PATH")
    for words in ("apps", "open counter", "attach editor", "why server", "log --follow"):
        show.command("greenroom " + words)
    show.line()
    show.note(f"greenroom down ends it, and rm -r {system.folder} removes what is left.")


def summary(tour, show, took):
    show.line()
    show.line(show.ink("bold", "── What happened ") + show.ink("dim", "─" * (show.width - 17)))
    show.line()
    show.table(tour.rows)
    show.line()
    ended = "the system runs on" if tour.keeps else "nothing is left of it"
    show.line(f"   {len(tour.rows)} results in {took:.0f} s; {ended}.")


if __name__ == "__main__":
    sys.exit(main())
