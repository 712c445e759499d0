"""A dead first thread blinds who looks at the process: memory, an exclusive lock and a listener behind it."""
KIND = "plain"
MODES = ["listen"]
HIDDEN = 2.5

import fcntl
import os
import socket
import threading

import belt

memory = belt.touch(200 << 20)
lock = open(os.path.join(os.environ["HOME"], "Documents", "locked"), "w")
fcntl.flock(lock, fcntl.LOCK_EX)
listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=belt.hold).start()
belt.leave_main_thread()
