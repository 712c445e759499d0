import Foundation
import Glibc
import Testing

extension Hostile {
    static let files: [Hostile] = links + kinds + names

    private static let links: [Hostile] = [
        Hostile("a link to an absolute path", says: "out of") { try $0.link("Good.app/passwd", to: "/etc/passwd") },
        Hostile("a link upwards", says: "out of") { try $0.link("Good.app/up", to: "..") },
        Hostile("a link that leaves and returns", says: "out of") {
            try $0.link("Good.app/round", to: "../Good.app/good")
        },
        Hostile("a link from a folder that leaves", says: "out of") {
            try $0.makeFolder("Good.app/a/b")
            try $0.link("Good.app/a/b/up", to: "../../../secret")
        },
        Hostile("links that are each inside and leave together", says: "out of") {
            try $0.makeFolder("Good.app/a/b/c")
            try $0.makeFolder("Good.app/x")
            try $0.link("Good.app/a/b/c/d", to: "../../../x")
            try $0.link("Good.app/leaves", to: "a/b/c/d/../../secret")
        },
        Hostile("a link with a control character in its target", says: "target") {
            try $0.link("Good.app/odd", to: "a\u{1b}[2J")
        },
        Hostile("a link with an overlong target", says: "target") {
            try $0.link("Good.app/long", to: String(repeating: "a/", count: 1000) + "a")
        },
        Hostile("an executable that is a link", says: "regular file") {
            try $0.remove("Good.app/good")
            try $0.link("Good.app/good", to: "/bin/sh")
        },
        Hostile("a property list that is a link", says: "regular file") {
            try $0.write(infoPlist(), to: "outside.plist")
            try $0.remove("Good.app/Info.plist")
            try $0.link("Good.app/Info.plist", to: "../outside.plist")
        },
        Hostile("a property list that is a link to /dev/zero", says: "regular file") {
            try $0.remove("Good.app/Info.plist")
            try $0.link("Good.app/Info.plist", to: "/dev/zero")
        },
        Hostile("a bundle that is a link", says: "symbolic link") {
            try FileManager.default.moveItem(atPath: $0.path("Good.app"), toPath: $0.path("Real.app"))
            try $0.link("Good.app", to: "Real.app")
        },
    ]

    private static let kinds: [Hostile] = [
        Hostile("no property list", says: "no Info.plist") { try $0.remove("Good.app/Info.plist") },
        Hostile("a property list that is a FIFO", says: "regular file") {
            try $0.remove("Good.app/Info.plist")
            try #require(unsafe mkfifo($0.path("Good.app/Info.plist"), 0o644) == 0)
        },
        Hostile("a property list that is a folder", says: "regular file") {
            try $0.remove("Good.app/Info.plist")
            try $0.makeFolder("Good.app/Info.plist")
        },
        Hostile("an executable that is a folder", says: "regular file") {
            try $0.remove("Good.app/good")
            try $0.makeFolder("Good.app/good")
        },
        Hostile("an executable that is a FIFO", says: "regular file") {
            try $0.remove("Good.app/good")
            try #require(unsafe mkfifo($0.path("Good.app/good"), 0o755) == 0)
        },
        Hostile("an executable without its bit", says: "chmod +x") { try $0.setMode(0o644, of: "Good.app/good") },
        Hostile("a setuid executable", says: "setuid") { try $0.setMode(0o4755, of: "Good.app/good") },
        Hostile("a setuid file deep inside", says: "setuid") { try $0.write("", to: "Good.app/a/b/su", mode: 0o4755) },
        Hostile("a setgid file", says: "setgid") { try $0.write("", to: "Good.app/sg", mode: 0o2755) },
        Hostile("a sticky executable", says: "sticky") { try $0.write("", to: "Good.app/st", mode: 0o1755) },
        Hostile("a FIFO", says: "FIFO") { try #require(unsafe mkfifo($0.path("Good.app/pipe"), 0o644) == 0) },
        Hostile("a socket", says: "socket") { try bindSocket($0.path("Good.app/s")) },
        Hostile("a FIFO in place of the bundle", says: "FIFO") {
            try $0.remove("Good.app")
            try #require(unsafe mkfifo($0.path("Good.app"), 0o644) == 0)
        },
    ]

    private static let names: [Hostile] = [
        Hostile("a file name with a line feed", says: "control") { try $0.write("", to: "Good.app/a\nb") },
        Hostile("a file name with an escape sequence", says: "control") { try $0.write("", to: "Good.app/\u{1b}[2J") },
        Hostile("a file name that reads backwards", says: "control") { try $0.write("", to: "Good.app/\u{202e}gpj") },
        Hostile("a folder name with a control character", says: "control") { try $0.makeFolder("Good.app/a\u{7f}") },
        Hostile("a file name that is not UTF-8", says: "UTF-8") { workshop in
            let bytes = (workshop.path("Good.app/").utf8 + [0xc3, 0x28, 0]).map(CChar.init(bitPattern:))
            let file = unsafe open(bytes, O_WRONLY | O_CREAT, 0o644)
            try #require(file >= 0)
            close(file)
        },
    ]

    static let sizes: [Hostile] = [
        Hostile("33 folders inside one another", says: "nest deeper") {
            try $0.makeFolder("Good.app" + String(repeating: "/d", count: 33))
        },
        Hostile("a path of 1,250 bytes", says: "1024") {
            try $0.makeFolder("Good.app" + String(repeating: "/" + String(repeating: "d", count: 249), count: 5))
        },
        Hostile("20,001 files", says: "20000") { workshop in
            for index in 0..<20_001 {
                let file = unsafe open(workshop.path("Good.app/\(index)"), O_WRONLY | O_CREAT, 0o644)
                try #require(file >= 0)
                close(file)
            }
        },
        Hostile("a sparse file of 3 GiB", says: "2 GiB") { try $0.makeSparse("Good.app/big", bytes: 3 << 30) },
        Hostile("three sparse files of 1 GiB", says: "2 GiB") {
            for index in 0..<3 { try $0.makeSparse("Good.app/big\(index)", bytes: 1 << 30) }
        },
        Hostile("a sparse file of 2⁶³ − 1 bytes beside another", says: "2 GiB") {
            for index in 0..<2 { try $0.makeSparse("Good.app/big\(index)", bytes: 8 << 40) }
        },
    ]

    private static func bindSocket(_ path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8.prefix(107)) }
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
    }
}
