import UIKit

/// A picture in memory.
struct Photo {
    let name: String
    let data: Data

    init?(contentsOf file: URL) {
        guard let data = try? Data(contentsOf: file) else { return nil }
        name = file.lastPathComponent
        self.data = data
    }

    /// Pixels, where the file is a PNG: its header has width and height at bytes 16 and 20.
    var size: (width: Int, height: Int)? {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        guard data.count >= 24, data.starts(with: signature) else { return nil }
        func number(at offset: Int) -> Int {
            data.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
        return (number(at: 16), number(at: 20))
    }

    /// A line about it.
    var caption: String {
        let size = size.map { ", \($0.width) × \($0.height)" } ?? ""
        return "\(name)\(size), \((data.count + 1023) / 1024) KB"
    }
}
