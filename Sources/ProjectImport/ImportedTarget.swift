package import Foundation

/// A program of an iOS project, as far as a package can have it.
package struct ImportedTarget: Sendable {
    /// A file of the bundle.
    package struct Resource: Sendable, Hashable {
        package var file: URL
        /// Its path in the bundle.
        package var place: String
        /// What is written instead of the file's contents.
        package var data: Data?
    }

    /// As the project calls it.
    package var name: String
    /// As its module is called.
    package var module: String
    /// Its Swift files, those of the project's libraries that it uses included.
    package var sources: [URL] = []
    /// Other names for files whose own name another file of the module has.
    package var renamed: [URL: String] = [:]
    /// The modules of those libraries, which are not imported any more.
    package var merged: [String] = []
    /// Its `Info.plist`, as XML with all settings put in.
    package var information = Data()
    /// What is copied into the bundle.
    package var resources: [Resource] = []
    /// The version of iOS that it finds: by `UIDevice.systemVersion`, and by `#available`.
    package var iOS = ""
    /// The settings of its compiler.
    package var compiler = CompilerSettings()
    /// The products of local packages that it uses.
    package var products: [PackageProduct] = []
    /// What was left out beside files, in sentences with a reason.
    package var notes: [String] = []

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
