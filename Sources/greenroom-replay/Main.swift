import Commands
import Glibc
import ReplayCommands

@main
enum Replayer {
    static func main() {
        exit(ReplayProgram.main(arguments: Array(CommandLine.arguments.dropFirst()), in: .ofThisProcess()))
    }
}
