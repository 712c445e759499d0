import Foundation

/// Many pictures of one size in one file, of which only those that are looked at are in memory.
struct Atlas {
    private let pictures: Data
    private let size: Int

    init(contentsOf file: URL, pictureSize: Int) throws {
        pictures = try Data(contentsOf: file, options: .mappedIfSafe)
        size = pictureSize
    }

    subscript(number: Int) -> Data { pictures[number * size..<(number + 1) * size] }
}
