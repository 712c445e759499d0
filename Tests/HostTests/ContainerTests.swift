import Dispatch
import Foundation
import Glibc
import Host
import LinuxSystem
import Synchronization
import SystemPackage
import Testing

@Suite("Containers", .enabled(if: CurrentProcess.isRoot, "NOT TESTED: apps have users of their own only as root"))
final class ContainerTests {
    private let root: String
    private let home: Home
    private static let (app, other): (UInt32, UInt32) = (54_321, 54_322)

    init() throws {
        var template = Array("/tmp/greenroom-containers-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw SystemError("mkdtemp", .ioError) }
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        home = Home(root + "/home")
        try FileSystem.makeDirectory(home.staging)
        try FileSystem.makeDirectory(root + "/victim")
        try FileSystem.changeOwner(root + "/victim", to: Self.other)
    }

    deinit { try? FileSystem.removeTree(root) }

    private func install() throws {
        try Container(of: "app", in: home, uid: Self.app, workshop: Directory(opening: home.staging)).prepare()
    }

    private func owner(_ path: String) -> UInt32? {
        (try? Descriptor.open(path, .path, followsLinks: false))?.identityOrNil?.owner
    }

    private func exists(_ path: String) -> Bool { owner(path) != nil }

    private var container: String { home.container("app") }

    @Test("A container has the folders that apps know, each the app's own, and keeps what is in them")
    func fresh() throws {
        try install()
        for part in ["", "/Documents", "/Library", "/Library/Caches", "/tmp"] {
            #expect(owner(container + part) == Self.app, "\(part)")
            #expect(try Descriptor.open(container + part, .directory).status().isOpenToOthers == false)
        }
        try FileSystem.replace(container + "/Documents/text", with: [1])
        try install()
        #expect(FileSystem.read(container + "/Documents/text") == [1])
        #expect(FileSystem.names(in: home.staging).isEmpty)
    }

    @Test("A link in place of a folder is set aside, and nothing happens where it leads")
    func link() throws {
        try install()
        try FileSystem.removeTree(container + "/Library")
        try FileSystem.link(to: root + "/victim", at: container + "/Library")
        try FileSystem.removeTree(container + "/tmp")
        try FileSystem.replace(container + "/tmp", with: [1])
        try install()
        #expect(FileSystem.names(in: root + "/victim").isEmpty)
        #expect(owner(root + "/victim") == Self.other)
        #expect(owner(container + "/Library/Caches") == Self.app)
        #expect(FileSystem.linkTarget(container + "/Library.replaced-1") == root + "/victim")
        #expect(FileSystem.read(container + "/tmp.replaced-1") == [1])
        #expect(owner(container + "/tmp") == Self.app)
    }

    @Test("A link to nothing, a pipe and a link to itself are no folders either")
    func others() throws {
        try install()
        for name in ["Documents", "Library", "tmp"] { try FileSystem.removeTree("\(container)/\(name)") }
        try FileSystem.link(to: root + "/nothing", at: container + "/Documents")
        #expect(unsafe mkfifo(container + "/Library", 0o600) == 0)
        try FileSystem.link(to: "tmp", at: container + "/tmp")
        try install()
        #expect(!exists(root + "/nothing"))
        for name in ["Documents", "Library", "tmp"] { #expect(owner("\(container)/\(name)") == Self.app) }
    }

    @Test("An app that swaps a folder for a link as fast as it can gains nothing outside of its container")
    func race() throws {
        try install()
        try FileSystem.makeDirectory(root + "/victim/Caches")
        // A folder of root's that the app may pass through.
        try FileSystem.makeDirectory(root + "/system", mode: 0o755)
        try FileSystem.link(to: root + "/victim", at: container + "/a")
        try FileSystem.link(to: root + "/system", at: container + "/b")
        let swapper = Swapper(in: container)
        var refused = 0
        for _ in 0..<200 {
            do {
                try install()
            } catch is Container.Failure {
                refused += 1
            }
        }
        let swaps = swapper.end()
        #expect(swaps > 0)
        #expect(refused < 200)
        #expect(owner(root + "/victim") == Self.other)
        #expect(owner(root + "/victim/Caches") == 0)
        #expect(owner(root + "/system") == 0)
        #expect(FileSystem.names(in: root + "/system").isEmpty)
        #expect(FileSystem.names(in: root + "/victim") == ["Caches"])
        #expect(FileSystem.names(in: home.staging).isEmpty)
    }

    @Test("After the loss of the database an app's files are its own again, those with other names elsewhere are not")
    func lostUser() throws {
        try install()
        try FileSystem.replace(container + "/Documents/own", with: [1])
        try FileSystem.changeOwner(container + "/Documents/own", to: Self.app)
        try FileSystem.replace(container + "/Documents/root's", with: [1])
        try FileSystem.replace(root + "/elsewhere", with: [1])
        try FileSystem.changeOwner(root + "/elsewhere", to: Self.app)
        #expect(unsafe Glibc.link(root + "/elsewhere", container + "/Documents/second name") == 0)
        try Container(of: "app", in: home, uid: Self.other, workshop: Directory(opening: home.staging)).prepare()
        #expect(owner(container) == Self.other)
        #expect(owner(container + "/Library/Caches") == Self.other)
        #expect(owner(container + "/Documents/own") == Self.other)
        #expect(owner(container + "/Documents/root's") == 0)
        #expect(owner(root + "/elsewhere") == Self.app)
    }

    @Test("What was moved into the trash is gone at once, and an earlier daemon's is found")
    func trash() throws {
        try install()
        let trash = Trash(home)
        let entry = try #require(try trash.take([container, home.bundle("app")], of: "app"))
        #expect(!exists(container))
        #expect(trash.leftovers == [entry])
        try install()
        try trash.remove(entry)
        #expect(exists(container))
        #expect(trash.leftovers.isEmpty)
        #expect(try trash.take([home.bundle("app")], of: "app") == nil)
    }
}

extension Descriptor {
    fileprivate var identityOrNil: Identity? { try? identity() }
}

/// Puts links in the place of `Library` and takes them away, on a thread of its own.
private final class Swapper: Sendable {
    private let state = Mutex<(goesOn: Bool, swaps: Int)>((true, 0))
    private let hasBegun = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// A thread of its own, since those of the queues may all be taken; and one that has begun when this returns.
    init(in container: String) {
        let library = container + "/Library"
        let thread = Thread { [self] in
            while state.withLock({ $0.goesOn }) {
                for link in ["a", "b"] {
                    _ = unsafe rmdir(library + "/Caches")
                    _ = unsafe rmdir(library)
                    let isSwapped = unsafe symlink(container + "/" + link, library) == 0
                    _ = unsafe unlink(library)
                    guard isSwapped else { continue }
                    let swaps = state.withLock {
                        $0.swaps += 1
                        return $0.swaps
                    }
                    if swaps == 1 { hasBegun.signal() }
                }
            }
            hasEnded.signal()
        }
        thread.start()
        hasBegun.wait()
    }

    func end() -> Int {
        state.withLock { $0.goesOn = false }
        hasEnded.wait()
        return state.withLock { $0.swaps }
    }
}
