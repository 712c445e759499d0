import UIKit

/// Where pages go that are not needed now.
protocol PageStore {
    func put(_ page: Data, _ number: Int)
    /// A page that was put there, if it still is.
    func take(_ number: Int) -> Data?
}

/// Nowhere.
struct NoStore: PageStore {
    func put(_ page: Data, _ number: Int) {}
    func take(_ number: Int) -> Data? { nil }
}

/// The frameworks empty it on a memory warning and in the background.
struct CacheStore: PageStore {
    // Not NSData: Foundation on Linux copies that byte by byte.
    private final class Page {
        let data: Data
        init(_ data: Data) { self.data = data }
    }

    private let pages = NSCache<NSNumber, Page>()

    func put(_ page: Data, _ number: Int) { pages.setObject(Page(page), forKey: number as NSNumber) }
    func take(_ number: Int) -> Data? { pages.object(forKey: number as NSNumber)?.data }
}

/// The system takes them when it needs the memory, without asking.
final class PurgeableStore: PageStore {
    private var pages: [Int: NSPurgeableData] = [:]

    func put(_ page: Data, _ number: Int) {
        let data = NSPurgeableData(data: page)
        data.endContentAccess()
        pages[number] = data
    }

    func take(_ number: Int) -> Data? {
        guard let data = pages.removeValue(forKey: number), data.beginContentAccess() else { return nil }
        defer { data.endContentAccess() }
        return unsafe Data(bytes: data.bytes, count: data.length)
    }
}

/// One large file: the system reads the pieces that are looked at, and drops them when it needs the memory.
struct MappedStore: PageStore {
    private let pages: Data

    init(file: URL, draw: (Int) -> Data) throws {
        if !FileManager.default.fileExists(atPath: file.path) {
            // Under another name until it is whole.
            let new = file.appendingPathExtension("new")
            try Data().write(to: new)
            let handle = try FileHandle(forWritingTo: new)
            for number in 0..<Icons.pages { try handle.write(contentsOf: draw(number)) }
            try handle.synchronize()
            try handle.close()
            try FileManager.default.moveItem(at: new, to: file)
        }
        pages = try Data(contentsOf: file, options: .mappedIfSafe)
    }

    func put(_ page: Data, _ number: Int) {}

    func take(_ number: Int) -> Data? {
        pages[number * Icons.bytesPerPage..<(number + 1) * Icons.bytesPerPage]
    }
}
