import UIKit

/// The sample of WWDC 2015, session 212: an app whose pages of icons are slow to draw, and the ways to keep them.
///
///     IconReel measure             prints what each way costs, without Greenroom
///     IconReel measure STRATEGY    one of them, as a line for programs; with `quick`, icons are of one color and drawn
///                                  in no time, for who looks at memory alone
@main
enum Program {
    @MainActor
    static func main() throws {
        guard CommandLine.arguments.dropFirst().first == "measure" else { return AppDelegate.main() }
        if let strategy = CommandLine.arguments.dropFirst(2).first.flatMap({ Strategy(rawValue: $0) }) {
            let isQuick = CommandLine.arguments.dropFirst(3).first == "quick"
            print(try Measurement.take(strategy, draw: isQuick ? Icons.fill : Icons.draw).line)
        } else {
            try Table.print()
        }
    }
}
