package import Foundation

/// A program of an iOS project, as far as a package can have it.
package struct ImportedTarget: Sendable {
    /// As the project calls it.
    package var name: String
    /// Its Swift files, those of the project's libraries that it uses included.
    package var sources: [URL]
    /// The modules of those libraries, which are not imported any more.
    package var merged: [String]
    /// Its `Info.plist`, as XML with all settings put in.
    package var information: Data
    /// What is copied into the bundle.
    package var resources: [URL]
    /// The version of iOS that it finds: by `UIDevice.systemVersion`, and by `#available`.
    package var iOS: String
    /// What was left out, in sentences with a reason.
    package var leftOut: [String]

    /// The name as a Swift module has it.
    package var module: String { Self.module(name) }

    static func module(_ name: String) -> String {
        let letters = String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
        return letters.first?.isNumber == true ? "_" + letters : letters
    }
}

/// A project that cannot be imported, with what to do.
package struct ImportFailure: Error, Equatable, CustomStringConvertible {
    package var description: String

    init(_ description: String) { self.description = description }
}
