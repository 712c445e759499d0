internal import Glibc

exit(FetchBench.run(CommandLine.arguments))
