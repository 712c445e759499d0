internal import Glibc
internal import NotificationsWire

exit(SoundProgram.run().rawValue)
