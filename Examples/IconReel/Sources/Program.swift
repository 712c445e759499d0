import UIKit

/// The sample of WWDC 2015, session 212: an app whose pages of icons are slow to draw, and the ways to keep them.
///
///     IconReel measure             prints what each way costs, without Greenroom
///     IconReel measure STRATEGY    one of them, as a line for programs
@main
enum Program {
    @MainActor
    static func main() throws {
        guard CommandLine.arguments.dropFirst().first == "measure" else { return AppDelegate.main() }
        if let strategy = CommandLine.arguments.dropFirst(2).first.flatMap({ Strategy(rawValue: $0) }) {
            print(try Measurement.take(strategy).line)
        } else {
            try Table.print()
        }
    }
}
