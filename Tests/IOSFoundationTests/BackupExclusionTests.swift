import CIOSFoundation
import Foundation
import IOSFoundation
import Testing

@Suite("What backups leave out")
struct BackupExclusionTests {
    /// A file that is removed when nothing holds it any more.
    private final class File {
        var url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

        init() throws { try Data("page".utf8).write(to: url) }
        deinit { try? FileManager.default.removeItem(at: url) }

        /// The attribute as another program sees it; `nil`: there is none.
        var attribute: String? {
            var value = [UInt8](repeating: 0, count: 16)
            let count = unsafe value.withUnsafeMutableBytes {
                unsafe iosfoundation_attribute(url.path, "user.xdg.robots.backup", $0.baseAddress, $0.count)
            }
            return count < 0 ? nil : String(decoding: value.prefix(count), as: UTF8.self)
        }

        func mark(_ word: String) -> Bool {
            unsafe Array(word.utf8).withUnsafeBytes {
                unsafe iosfoundation_set_attribute(url.path, "user.xdg.robots.backup", $0.baseAddress, $0.count) == 0
            }
        }
    }

    private func isExcluded(_ url: URL) throws -> Bool? {
        try url.resourceValues(forKeys: [.isExcludedFromBackupKey]).isExcludedFromBackup
    }

    private func exclusion(_ isExcluded: Bool?) -> URLResourceValues {
        var values = URLResourceValues()
        values.isExcludedFromBackup = isExcluded
        return values
    }

    @Test("A file is in backups until it is excluded, and again when it is not any more")
    func value() throws {
        let file = try File()
        #expect(try isExcluded(file.url) == false)
        try file.url.setResourceValues(exclusion(true))
        #expect(try isExcluded(file.url) == true && file.attribute == "false")
        #expect(try isExcluded(URL(fileURLWithPath: file.url.path)) == true, "the file knows, not the URL")
        try file.url.setResourceValues(exclusion(false))
        #expect(try isExcluded(file.url) == false && file.attribute == nil)
        // Once more nothing is there to be taken away.
        try file.url.setResourceValues(exclusion(false))
    }

    @Test("NSURL sets and reads the same")
    func object() throws {
        let file = try File()
        let url = file.url as NSURL
        try url.setResourceValue(true, forKey: .isExcludedFromBackupKey)
        #expect(try isExcluded(file.url) == true)
        var value: AnyObject?
        try url.getResourceValue(&value, forKey: .isExcludedFromBackupKey)
        #expect((value as? NSNumber)?.boolValue == true)
        try url.setResourceValues([.isExcludedFromBackupKey: NSNumber(value: false)])
        #expect(try url.resourceValues(forKeys: [.isExcludedFromBackupKey])[.isExcludedFromBackupKey] as? Bool == false)
        try url.setResourceValue(NSNumber(value: 1), forKey: .isExcludedFromBackupKey)
        try url.setResourceValue(nil, forKey: .isExcludedFromBackupKey)
        #expect(try isExcluded(file.url) == false && file.attribute == nil)
    }

    @Test("Other values are set and read as before, with it and without it")
    func others() throws {
        let file = try File()
        let date = Date(timeIntervalSince1970: 1_000_000)
        var values = exclusion(true)
        values.contentModificationDate = date
        try file.url.setResourceValues(values)
        let read = try file.url.resourceValues(
            forKeys: [.isExcludedFromBackupKey, .contentModificationDateKey, .fileSizeKey])
        #expect(read.isExcludedFromBackup == true && read.contentModificationDate == date && read.fileSize == 4)
        let size = try file.url.resourceValues(forKeys: [.fileSizeKey])
        #expect(size.fileSize == 4 && size.isExcludedFromBackup == nil, "it was not asked for")
        let url = file.url as NSURL
        try url.setResourceValue(Date(timeIntervalSince1970: 5), forKey: .contentModificationDateKey)
        var modified: AnyObject?
        try url.getResourceValue(&modified, forKey: .contentModificationDateKey)
        #expect((modified as? NSDate)?.timeIntervalSince1970 == 5)
    }

    @Test(
        "What another program has written counts",
        arguments: [("false", true), ("true", false), ("falsehood", false)])
    func written(word: String, excluded: Bool) throws {
        let file = try File()
        try #require(file.mark(word))
        #expect(try isExcluded(file.url) == excluded)
    }

    @Test("A file that is not there is an error, and so is what is no file")
    func missing() throws {
        var gone = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        #expect { try gone.setResourceValues(exclusion(true)) } throws: {
            ($0 as? CocoaError)?.code == .fileNoSuchFile
        }
        #expect { try isExcluded(gone) } throws: { ($0 as? CocoaError)?.code == .fileReadNoSuchFile }
        var site = try #require(URL(string: "https://example.org/page"))
        #expect { try site.setResourceValues(exclusion(true)) } throws: {
            ($0 as? CocoaError)?.code == .fileWriteUnsupportedScheme
        }
    }

    @Test("A file system without such attributes says so, and excludes nothing")
    func unsupported() throws {
        var file = URL(fileURLWithPath: "/proc/self/status")
        #expect(try isExcluded(file) == false)
        #expect { try file.setResourceValues(exclusion(true)) } throws: {
            ($0 as? CocoaError)?.code == .featureUnsupported
        }
        try file.setResourceValues(exclusion(false))
    }
}
