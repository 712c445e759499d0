public import Foundation

/// What a file was at some time. Nothing keeps earlier versions of files here and no other device changes them, as on a
/// device without iCloud: a file has its present version and no others, and there are no conflicts. Use it on any
/// thread.
public final class NSFileVersion: NSObject, Sendable {
    /// How a file's contents are replaced by a version's.
    public struct ReplacingOptions: OptionSet, Sendable {
        /// Apple's number.
        public let rawValue: UInt

        /// Creates it of Apple's number.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The version goes away.
        public static let byMoving = ReplacingOptions(rawValue: 1)
    }

    /// Where its contents are.
    public let url: URL
    /// The file's name.
    public let localizedName: String?
    /// When it was written.
    public let modificationDate: Date?

    private init(_ url: URL, _ date: Date?) {
        (self.url, localizedName, modificationDate) = (url, url.lastPathComponent, date)
    }

    /// The version that the file has now; `nil` where there is no file.
    public class func currentVersionOfItem(at url: URL) -> NSFileVersion? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else { return nil }
        return NSFileVersion(url, attributes[.modificationDate] as? Date)
    }

    /// Those that it had: none. `nil` where there is no file.
    public class func otherVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        currentVersionOfItem(at: url).map { _ in [] }
    }

    /// Those that other devices have, and nobody has chosen from: none. `nil` where there is no file.
    public class func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? { otherVersionsOfItem(at: url) }

    /// Removes those that it had: there are none.
    public class func removeOtherVersionsOfItem(at url: URL) throws {}

    /// Whether it was changed elsewhere at the same time. Never.
    public var isConflict: Bool { false }
    /// Whether somebody has chosen. There is nothing to choose from. Setting it has no effect.
    public var isResolved: Bool {
        get { true }
        set {}
    }
    /// Whether its contents are on this device. Yes.
    public var hasLocalContents: Bool { true }
    /// Whether its preview is on this device. There are none.
    public var hasThumbnail: Bool { false }
    /// The name of the device that wrote it; this one has none to say.
    public var localizedNameOfSavingComputer: String? { nil }

    /// Puts its contents in the place of a file's, which is the file itself unless it is another.
    ///
    /// - Returns: where they are.
    @discardableResult
    public func replaceItem(at url: URL, options: ReplacingOptions = []) throws -> URL {
        guard url.standardizedFileURL != self.url.standardizedFileURL else { return url }
        try Data(contentsOf: self.url).write(to: url, options: .atomic)
        if options.contains(.byMoving) { try FileManager.default.removeItem(at: self.url) }
        return url
    }

    /// Removes it. The present version cannot be.
    public func remove() throws { throw CocoaError(.featureUnsupported) }
}
