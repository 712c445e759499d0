internal import Glibc
internal import Keeper

exit(Program.run(CommandLine.arguments))
