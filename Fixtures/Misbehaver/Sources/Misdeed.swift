import Glibc
import UIKit

/// What this app can do wrong. Given as words with commas between them, in the first place of: the first argument, the
/// environment variable `GREENROOM_MISBEHAVE`, the file `Documents/mode`, `GRMisbehave` of `Info.plist`.
enum Misdeed: Equatable, Sendable {
    /// `block:didEnterBackground`: never returns from that callback.
    case block(callback: String)
    /// `hold:didEnterBackground`: returns from that callback when `Remote.release` has come.
    case hold(callback: String)
    /// `slow:250`: every callback takes so many milliseconds; `slow:willResignActive:250`: that one does.
    case slow(callback: String?, milliseconds: Int)
    /// `never-connect`: runs, but never calls UIApplicationMain.
    case neverConnect
    /// `share-too-early`: uses `UIApplication.shared` before it calls UIApplicationMain.
    case shareTooEarly
    /// `crash-at-launch`: a segmentation fault in didFinishLaunching.
    case crashAtLaunch
    /// `exit-at-launch`: ends by itself with status 3 in didFinishLaunching.
    case exitAtLaunch
    /// `ignore-termination`: ignores SIGTERM and never returns from willTerminate.
    case ignoreTermination
    /// `leave-child`: starts a child at launch that stays when the app ends.
    case leaveChild

    init?(_ word: String) {
        let parts = word.split(separator: ":").map(String.init)
        switch (parts.first, parts.last) {
        case ("block", let callback?) where parts.count == 2: self = .block(callback: callback)
        case ("hold", let callback?) where parts.count == 2: self = .hold(callback: callback)
        case ("slow", let number?) where (2...3).contains(parts.count):
            guard let milliseconds = Int(number) else { return nil }
            self = .slow(callback: parts.count == 3 ? parts[1] : nil, milliseconds: milliseconds)
        case ("never-connect", _): self = .neverConnect
        case ("share-too-early", _): self = .shareTooEarly
        case ("crash-at-launch", _): self = .crashAtLaunch
        case ("exit-at-launch", _): self = .exitAtLaunch
        case ("ignore-termination", _): self = .ignoreTermination
        case ("leave-child", _): self = .leaveChild
        default: return nil
        }
    }

    static let given: [Misdeed] = {
        let file = try? String(contentsOfFile: modeFile, encoding: .utf8)
        let words =
            CommandLine.arguments.dropFirst().first ?? ProcessInfo.processInfo.environment["GREENROOM_MISBEHAVE"]
            ?? file
            ?? Bundle.main.object(forInfoDictionaryKey: "GRMisbehave") as? String ?? ""
        return words.split { $0 == "," || $0.isWhitespace }.compactMap { word in
            let misdeed = Misdeed(String(word))
            if misdeed == nil { print("Misbehaver knows no \(word)") }
            return misdeed
        }
    }()

    static var modeFile: String { NSHomeDirectory() + "/Documents/mode" }
}

/// The deeds themselves.
enum Deed {
    static func blockForever() -> Never {
        while true { pause() }
    }

    static func crash() {
        guard let nowhere = unsafe UnsafeMutablePointer<Int>(bitPattern: 8) else { return }
        unsafe nowhere.pointee = 1
    }

    static func wait(milliseconds: Int) {
        // To be slow is the misdeed.
        Thread.sleep(forTimeInterval: Double(milliseconds) / 1000)
    }

    /// Takes the lock on a file, and keeps it; waits for it beside the main thread.
    static func lock(_ path: String) {
        let file = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { return say("cannot open \(path)") }
        Thread { say("locked \(flock(file, LOCK_EX))") }.start()
    }

    /// Waits for others at `tmp/listener`, and reads what they say until they leave.
    static func listen() {
        let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array((NSHomeDirectory() + "/tmp/listener").utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.count < room else { return say("the path is too long") }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, Glibc.listen(listener, 16) == 0 else { return say("cannot listen") }
        say("listens")
        Thread {
            while case let peer = accept(listener, nil, nil), peer >= 0 {
                Thread {
                    var byte: UInt8 = 0
                    while unsafe read(peer, &byte, 1) > 0 {}
                    close(peer)
                }.start()
            }
        }.start()
    }

    /// Starts children that only wait, until the number is reached or the system gives no more. Returns how many.
    static func fork(_ number: Int) -> Int {
        for done in 0..<max(0, number) {
            switch Glibc.fork() {
            case 0: blockForever()
            case -1: return done
            default: continue
            }
        }
        return max(0, number)
    }
}
