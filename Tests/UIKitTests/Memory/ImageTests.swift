import Testing
import UIKit

extension UIKitTests {
    @Suite("Images")
    @MainActor
    struct ImageTests {
        private static func png(_ width: UInt8, _ height: UInt8) -> Data {
            Data(
                [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 1, width]
                    + [0, 0, 0, height, 8, 2, 0, 0, 0])
        }

        private func withBundle(_ body: (Bundle) throws -> Void) throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "greenroom-\(UUID()).bundle")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try Self.png(0, 64).write(to: folder.appending(path: "icon.png"))
            try Self.png(4, 2).write(to: folder.appending(path: "badge@2x.png"))
            try Data("text".utf8).write(to: folder.appending(path: "notes.png"))
            try body(try #require(Bundle(path: folder.path)))
        }

        @Test("It has the size of the file's header, in points")
        func size() throws {
            try withBundle { bundle in
                #expect(UIImage(named: "icon", in: bundle)?.size == CGSize(width: 256, height: 64))
                #expect(UIImage(named: "icon.png", in: bundle)?.pngData() == Self.png(0, 64))
                let badge = try #require(UIImage(named: "badge", in: bundle))
                #expect((badge.size, badge.scale) == (CGSize(width: 130, height: 1), 2))
                let file = bundle.bundleURL.appending(path: "badge@2x.png").path
                #expect(UIImage(contentsOfFile: file) == badge)
                #expect(UIImage(data: Self.png(4, 2)) != badge)
                #expect(UIImage(data: Self.png(4, 2), scale: 2) == badge)
            }
        }

        /// What comes before a frame in files of cameras, and the frame.
        private static let jpeg = Data(
            [0xff, 0xd8, 0xff, 0xe1, 0, 4, 1, 2, 0xff, 0xff, 0xdb, 0, 3, 0, 0xff, 0xc4, 0, 3, 0]
                + [0xff, 0xc2, 0, 17, 8, 0, 32, 1, 64, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1, 0xff, 0xda, 0, 2])

        @Test("A JPEG is an image as well, of the size in its frame; neither becomes the other")
        func jpeg() throws {
            let photo = try #require(UIImage(data: Self.jpeg, scale: 2))
            #expect(photo.size == CGSize(width: 160, height: 16))
            #expect(photo.jpegData(compressionQuality: 0.5) == Self.jpeg && photo.pngData() == nil)
            #expect(UIImage(data: Self.png(4, 2))?.jpegData(compressionQuality: 1) == nil)
            for length in 0..<(Self.jpeg.count - 14) { #expect(UIImage(data: Self.jpeg.prefix(length)) == nil) }
            #expect(UIImage(data: Data([0xff, 0xd8, 0xff, 0xdb, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])) == nil)
            #expect(UIImage(data: Data([0xff, 0xd8, 0xff, 0xda]) + Self.jpeg.dropFirst(2)) == nil)
        }

        @Test("What is not there or not a PNG is nil")
        func failures() throws {
            try withBundle { bundle in
                #expect(UIImage(named: "other", in: bundle) == nil)
                #expect(UIImage(named: "notes", in: bundle) == nil)
                #expect(UIImage(named: "no such image") == nil)
                #expect(UIImage(contentsOfFile: "/nowhere.png") == nil)
                #expect(UIImage(data: Data()) == nil)
                #expect(UIImage(data: Self.png(4, 2).prefix(20)) == nil)
                #expect(UIImage(data: Self.png(4, 2), scale: 0) == nil)
            }
        }

        @Test(
            "Images that the app no longer holds are freed, and read again when they are asked for",
            arguments: ["background", "warning"])
        func cache(_ occasion: String) throws {
            func happen() {
                if occasion == "background" { Simulated.background() } else { Simulated.memory(occasion) }
            }
            happen()
            let before = NamedImages.count
            try withBundle { bundle in
                let held = try #require(UIImage(named: "icon", in: bundle))
                _ = UIImage(named: "badge", in: bundle)
                #expect(NamedImages.count == before + 2)
                happen()
                #expect(NamedImages.count == before + 1)
                // The file has changed: what is cached is not read again, what was freed is.
                try Self.png(9, 9).write(to: bundle.bundleURL.appending(path: "icon.png"))
                try Self.png(9, 9).write(to: bundle.bundleURL.appending(path: "badge@2x.png"))
                #expect(UIImage(named: "icon", in: bundle) == held)
                #expect(UIImage(named: "badge", in: bundle)?.pngData() == Self.png(9, 9))
                #expect(held.size == CGSize(width: 256, height: 64))
            }
            happen()
            #expect(NamedImages.count == before)
        }
    }
}
