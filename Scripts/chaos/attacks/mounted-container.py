"""An app's container becomes a mount point, and another lies within it; then the app is opened and uninstalled."""
KIND = "outside"

import os
import subprocess

import honest
from control import Refused


def attack(world, control):
    app = f"org.greenroom.chaos.mounted-{world.random.randrange(1 << 30)}"
    place = os.path.join(world.folder, "attackers")
    os.makedirs(place, exist_ok=True)
    script = os.path.join(os.path.dirname(os.path.abspath(honest.__file__)), "honest", "typist.py")
    control.insist("install", path=honest.desktop(place, app, script, terminal=True), within=30)
    container = os.path.join(world.home, "containers", app)
    precious = os.path.join(world.folder, f"precious-{app}")
    os.mkdir(precious)
    with open(precious + "/kept", "w") as file:
        file.write("kept")
    inner = os.path.join(container, "Documents")
    outcome = "removed"
    for target in (container, inner):
        os.makedirs(target, exist_ok=True)
        subprocess.run(["mount", "--bind", precious, target], check=True)
    try:
        control.insist("uninstall", app=app, within=30)
    except Refused as error:
        outcome = f"refused: {str(error)[:80]}"
    for target in (inner, container):
        subprocess.run(["umount", "-l", target], stderr=subprocess.DEVNULL, check=False)
    if not os.path.exists(precious + "/kept"):
        world.breach("mounted-container: uninstall deleted what was mounted into the container")
    try:
        control.insist("install", path=os.path.join(place, app, app + ".desktop"), within=30)
        control.insist("uninstall", app=app, within=30)
    except Refused as error:
        world.breach(f"mounted-container: after the mount was gone it could not be removed: {error}")
    return outcome
