package import ArgumentParser
internal import Wire

/// `greenroom doctor`
package struct DoctorCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Say what this machine offers, what stands in for the rest, and what that costs.",
        discussion: "Works without a daemon.")

    @OptionGroup var format: JSONOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
    }
}
