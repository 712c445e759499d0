import Foundation
import GreenroomTesting
import Testing
import UIKit

/// What it shows is a number.
private final class PageController: UIViewController {
    var page = 0
    var isRestored = false

    static func named(_ name: String?) -> PageController {
        let controller = PageController()
        controller.restorationIdentifier = name
        return controller
    }

    override func encodeRestorableState(with coder: NSCoder) {
        super.encodeRestorableState(with: coder)
        coder.encode(page, forKey: "page")
    }

    override func decodeRestorableState(with coder: NSCoder) {
        super.decodeRestorableState(with: coder)
        page = coder.decodeInteger(forKey: "page")
    }

    override func applicationFinishedRestoringState() { isRestored = true }
}

/// An app with a window, as apps had before there were scenes.
private final class BookApp: UIResponder, UIApplicationDelegate {
    static var keeps = true
    static var events: [String] = []
    var window: UIWindow?
    let root = PageController.named("book")
    let chapter = PageController.named("chapter")

    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let nameless = PageController.named(nil)
        nameless.addChild(PageController.named("lost"))
        for child in [chapter, nameless] { root.addChild(child) }
        window = UIWindow(frame: UIScreen.main.bounds)
        window?.rootViewController = root
        window?.makeKeyAndVisible()
        return true
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        Self.events.append("launched at \(root.page) and \(chapter.page)")
        return true
    }

    func application(_ application: UIApplication, shouldSaveSecureApplicationState coder: NSCoder) -> Bool {
        coder.encode("light" as NSString, forKey: "theme")
        return Self.keeps
    }

    func application(_ application: UIApplication, shouldRestoreSecureApplicationState coder: NSCoder) -> Bool {
        let version = coder.decodeObject(of: NSString.self, forKey: UIApplication.stateRestorationBundleVersionKey)
        Self.events.append("restores \(version == nil ? "no version" : "a version")")
        return true
    }

    func application(_ application: UIApplication, willEncodeRestorableStateWith coder: NSCoder) {
        Self.events.append("keeps")
    }

    func application(_ application: UIApplication, didDecodeRestorableStateWith coder: NSCoder) {
        let theme = coder.decodeObject(of: NSString.self, forKey: "theme").map { $0 as String }
        Self.events.append("restored \(theme ?? "-") \(root.isRestored)")
    }
}

extension TestingTests {
    @Suite("What the windows of an app without scenes show")
    @MainActor
    struct StateRestorationTests {
        private func install(_ device: TestDevice) throws -> TestedApp<BookApp> {
            BookApp.events = []
            return try device.install(BookApp.self, identifier: "org.example.Book")
        }

        @Test("It outlives the process, as far as controllers and all around them have an identifier")
        func kept() async throws {
            BookApp.keeps = true
            let device = try TestDevice()
            let book = try install(device)
            try await device.open(book)
            #expect(BookApp.events == ["launched at 0 and 0"])
            book.delegate?.root.page = 7
            book.delegate?.chapter.page = 3
            try await device.home()
            #expect(BookApp.events.last == "keeps")
            try await book.crash(signal: 9)
            try await device.open(book)
            #expect(
                BookApp.events.suffix(3) == ["restores a version", "restored light false", "launched at 7 and 3"])
            #expect(book.delegate?.root.isRestored == true && book.delegate?.chapter.isRestored == true)
            // What was restored is kept until it is written anew.
            try await book.crash(signal: 9)
            try await device.open(book)
            #expect(BookApp.events.last == "launched at 7 and 3")
        }

        @Test("An app that does not want it kept begins anew, and what was kept goes")
        func unwanted() async throws {
            BookApp.keeps = true
            let device = try TestDevice()
            let book = try install(device)
            try await device.open(book)
            book.delegate?.root.page = 7
            try await device.home()
            try await device.open(book)
            BookApp.keeps = false
            defer { BookApp.keeps = true }
            try await device.home()
            try await book.crash(signal: 9)
            BookApp.events = []
            try await device.open(book)
            #expect(BookApp.events == ["launched at 0 and 0"])
        }

        @Test("What cannot be read is no state, and what an app ended in is not read again")
        func damaged() async throws {
            let device = try TestDevice()
            let book = try install(device)
            let folder = device.container.appending(path: "Library/Saved Application State")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("rubbish".utf8).write(to: folder.appending(path: "windows.plist"))
            try Data("more".utf8).write(to: folder.appending(path: "windows.restoring.plist"))
            try await device.open(book)
            #expect(BookApp.events == ["launched at 0 and 0"])
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "windows.restoring.plist").path))
        }
    }
}
