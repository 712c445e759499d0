import Commands
import Glibc

@main
struct Greenroom {
    static func main() {
        exit(GreenroomCommand.main(arguments: Array(CommandLine.arguments.dropFirst()), in: .ofThisProcess()))
    }
}
