internal import Glibc
internal import Host

exit(DaemonProgram.run(CommandLine.arguments))
