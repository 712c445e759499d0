import Foundation
import Testing

// No import of UIKit: so is most code that reads files.

@Suite("Mapped files")
struct MappedFileTests {
    /// What the kernel says of the pages of a file in this process, in bytes; `nil` where it is not mapped.
    private func pages(of file: URL) throws -> [String: Int]? {
        var figures: [String: Int]?
        for line in try Reclaim.lines("/proc/self/smaps") {
            let fields = line.split(separator: " ")
            if fields.first?.contains("-") == true {
                if figures != nil { return figures }
                if line.hasSuffix(file.path) { figures = [:] }
            } else if fields.count == 3, fields[2] == "kB", figures != nil {
                figures?[String(fields[0].dropLast())] = Int(fields[1]).map { $0 << 10 }
            }
        }
        return figures
    }

    private func withFile(_ size: Int, _ body: (URL) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "greenroom-\(UUID())")
        try Data(repeating: 7, count: size).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        // Its pages are clean once they are on the disk.
        let handle = try FileHandle(forUpdating: file)
        try handle.synchronize()
        try handle.close()
        try body(file)
    }

    @Test(
        "A file is mapped by either option, and its pages are clean",
        arguments: [Data.ReadingOptions.mappedIfSafe, .alwaysMapped, [.mappedIfSafe, .uncached]])
    func clean(_ options: Data.ReadingOptions) throws {
        let size = 8 << 20
        try withFile(size) { file in
            let data = try Data(contentsOf: file, options: options)
            #expect(data.count == size)
            #expect(data.allSatisfy { $0 == 7 })
            let pages = try #require(try pages(of: file))
            #expect(pages["Rss"] == size)
            #expect(pages["Private_Clean", default: 0] + pages["Shared_Clean", default: 0] == size)
            #expect(pages["Anonymous"] == 0)
            #expect(data.last == 7)
        }
    }

    @Test("What is read without an option is not mapped, and what NSData reads is the same but a copy")
    func others() throws {
        try withFile(1 << 20) { file in
            let read = try Data(contentsOf: file)
            let copies = [
                try NSData(contentsOf: file, options: .mappedIfSafe),
                try NSData(contentsOfFile: file.path, options: .mappedIfSafe),
            ]
            #expect(try pages(of: file) == nil)
            #expect(copies.allSatisfy { $0 as Data == read })
        }
    }

    @Test("The option is still the one that Foundation knows")
    func option() {
        #expect(Data.ReadingOptions.mappedIfSafe.contains(.alwaysMapped))
        #expect(!Data.ReadingOptions.alwaysMapped.contains(.mappedIfSafe))
        #expect(!Data.ReadingOptions.mappedIfSafe.contains(.uncached))
    }
}
