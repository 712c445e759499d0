"""An app that cannot be ended: its first thread leaves by itself, another one goes on."""
KIND = "plain"

import signal
import threading

import belt

signal.signal(signal.SIGTERM, signal.SIG_IGN)
threading.Thread(target=belt.hold, daemon=False).start()
belt.leave_main_thread()
