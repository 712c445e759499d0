import Commands
import Glibc
import SimulationCommands

@main
enum Simulator {
    static func main() {
        exit(SimulatorCommand.main(arguments: Array(CommandLine.arguments.dropFirst()), in: .ofThisProcess()))
    }
}
