import Bundles
import Glibc

exit(Helper.run(CommandLine.arguments))
