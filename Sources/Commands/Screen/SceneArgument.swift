internal import ArgumentParser

/// A scene of an app, or a new one.
enum SceneArgument: ExpressibleByArgument, Hashable {
    case number(Int)
    case another

    init?(argument: String) {
        if argument == "new" {
            self = .another
        } else if let number = Int(argument), number > 0 {
            self = .number(number)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { self == .another ? "new" : "1" }
}
