import Foundation
import Testing

@Suite("Imports of iOS code")
struct ImportTests {
    @Test(
        "Modules that are here under other names are imported under those",
        arguments: [
            ("import Combine", "import GreenroomCombine"), ("import os.log", "import GreenroomOS"),
            ("import OSLog", "import GreenroomOS"), ("import UIKit.UIApplication", "import UIKit"),
            ("import UIKit.UIGestureRecognizerSubclass", "import UIKit"),
            ("import class Combine.AnyCancellable", "import class GreenroomCombine.AnyCancellable"),
            ("import struct Foundation.URL", "import struct Foundation.URL"), ("import Darwin", ""),
            ("import Darwin.C.stdlib", ""), ("import struct CoreGraphics.CGFloat", ""), ("import MachO.dyld", ""),
            ("@preconcurrency import Combine", "@preconcurrency import GreenroomCombine"),
            ("@_exported import os", "@_exported import GreenroomOS"),
            ("internal import Network", "internal import GreenroomNetwork"), ("public import Darwin", ""),
            ("import SQLite3", "import GreenroomSQLite3"), ("import zlib", "import GreenroomZlib"),
            ("import func zlib.crc32", "import func GreenroomZlib.crc32"),
            ("import MapKit", "import CoreLocation"), ("import class AVKit.AVPlayer", "import       AVFoundation"),
            ("import Darwin; import Foundation", " import Foundation"),
            ("import Alamofire", "import Alamofire"), ("@testable import MyApp", "@testable import MyApp"),
            (
                "import Combine\nvar c: Combine.AnyCancellable?",
                "import GreenroomCombine\nvar c: GreenroomCombine.AnyCancellable?"
            ),
            ("import os\nlet l = os.Logger()", "import GreenroomOS\nlet l = GreenroomOS.Logger()"),
            ("import Darwin\nlet a = Darwin.close(1)", "\nlet a = UIKit.close(1)"),
            ("import CoreGraphics\nvar w: CoreGraphics.CGFloat = 1", "\nvar w: UIKit.CGFloat = 1"),
            ("import zlib\nlet a = zlib.crc32(0, b, 1)", "import GreenroomZlib\nlet a = GreenroomZlib.crc32(0, b, 1)"),
            (
                "import Network\nenum Network {}\nlet a = Network.b",
                "import GreenroomNetwork\nenum Network {}\nlet a = Network.b"
            ),
        ])
    func imports(text: String, expected: String) throws { #expect(try Tool.lowered(text) == expected) }

    @Test("A part of Foundation that is a module of its own here is imported", arguments: ["URLRequest", "HTTPCookie"])
    func networking(name: String) throws {
        let result = try Tool.lower([("A.swift", "import struct Foundation.\(name)")])
        #expect(
            result.texts[0] == "import UIKit; import UIKitNetworking\n#sourceLocation(file: \"A.swift\", line: 1)\n")
    }

    @Test(
        "The import of a framework that does not exist is a warning",
        arguments: [
            ("\n import CoreData", 2, 9, "CoreData"), ("import AudioToolbox", 1, 8, "AudioToolbox"),
            ("import UIKit\nimport CoreHaptics", 2, 8, "CoreHaptics"),
            ("import struct simd.simd_float4x4", 1, 15, "simd"), ("import CommonCrypto", 1, 8, "CommonCrypto"),
            ("@preconcurrency import CloudKit", 1, 24, "CloudKit"), ("import RoomPlan", 1, 8, "RoomPlan"),
            ("import class AVKit.AVPlayerViewController", 1, 14, "AVKit"), ("import AppKit", 1, 8, "AppKit"),
            ("internal import FoundationModels", 1, 17, "FoundationModels"),
            ("import Compression", 1, 8, "Compression"),
        ])
    func absent(text: String, line: Int, column: Int, module: String) throws {
        let result = try Tool.lower([("A.swift", text)])
        let warning = try #require(result.diagnostics.first)
        #expect(warning.text.hasPrefix("A.swift:\(line):\(column): warning: there is no \(module) on Linux: "))
        #expect(result.diagnostics.count == 1)
        #expect(result.status == 0)
        #expect(!result.texts[0].contains(module))
    }

    @Test("A module that the package has itself is imported, whatever Apple calls its own")
    func own() throws {
        let options = ["--module", "UIKit", "--module", "CoreHaptics", "--module", "SQLite3"]
        let text = "import CoreHaptics\nimport SQLite3\n#if canImport(CoreHaptics)\nlet e = CHHapticEngine()\n#endif"
        #expect(try Tool.lowered(text, options: options) == text)
    }

    @Test("CryptoKit is swift-crypto's module, if the target depends on that")
    func crypto() throws {
        let modules = ["--module", "UIKit", "--module", "Crypto"]
        let text = "#if canImport(CryptoKit)\nimport CryptoKit\n#endif"
        #expect(try Tool.lowered(text, options: modules) == "#if true\nimport Crypto\n#endif")
        #expect(try Tool.lowered(text, options: ["--module", "UIKit"]) == "#if false\nimport CryptoKit\n#endif")
        let warning = try Tool.complaints("import CryptoKit", options: ["--module", "UIKit"])
        #expect(warning.first?.message.contains("add Crypto of swift-crypto to the target's dependencies") == true)
    }

    @Test(
        "A product that the target does not depend on is an error that names it", arguments: ["Combine", "MediaPlayer"])
    func missing(module: String) throws {
        let error = try #require(try Tool.complaints("import \(module)", options: ["--module", "UIKit"]).first)
        #expect(error.text.hasPrefix("A.swift:1:8: error: the target does not depend on "))
        #expect(error.message.contains("\(module)\", package: \"greenroom\""))
    }

    @Test(
        "A name that is in a product that the target does not depend on is an error once in a file",
        arguments: [
            ("let a = URLSession.shared\nlet b = URLRequest(url: c)", 1, 9, "UIKitNetworking"),
            ("import Foundation\nclass A: ObservableObject { @Published var a = 1 }", 2, 10, "GreenroomCombine"),
            ("import Foundation\nlet a = UNNotificationRequest.self", 2, 9, "UserNotifications"),
        ])
    func missingProduct(text: String, line: Int, column: Int, module: String) throws {
        let errors = try Tool.complaints(text, options: ["--module", "UIKit"])
        #expect(errors.count == 1)
        let error = try #require(errors.first)
        #expect((error.line, error.column) == (line, column))
        #expect(error.message.contains(" is in \(module): add .product(name: \"\(module)\", package: \"greenroom\")"))
    }

    @Test("A target needs UIKit")
    func needsUIKit() throws {
        let error = try #require(try Tool.complaints("let a = 1", options: ["--module", "Toolkit"]).first)
        #expect(error.text.hasPrefix("A.swift:1:1: error: the target does not depend on UIKit: "))
    }
}

@Suite("Names of modules that do not exist")
struct AbsentNameTests {
    @Test(
        "The use of a name is an error that names the module",
        arguments: [
            (
                "import AudioToolbox\nfunc f() { AudioServicesPlaySystemSound(1) }", 2, 12,
                "AudioServicesPlaySystemSound", "AudioToolbox"
            ),
            ("import AVFoundation\nlet a = kSystemSoundID_Vibrate", 2, 9, "kSystemSoundID_Vibrate", "AudioToolbox"),
            ("import CoreHaptics\nvar e: CHHapticEngine?", 2, 8, "CHHapticEngine", "CoreHaptics"),
            ("import CoreHaptics\nlet e = CoreHaptics.CHSomething()", 2, 21, "CHSomething", "CoreHaptics"),
            ("import CoreHaptics\nvar e: CoreHaptics.CHSomething?", 2, 20, "CHSomething", "CoreHaptics"),
            ("import CloudKit\nextension CKRecord {}", 2, 11, "CKRecord", "CloudKit"),
            ("import WidgetKit\nstruct W: Widget {}", 2, 11, "Widget", "WidgetKit"),
            ("import SwiftData\n@Model final class A {}", 2, 2, "Model", "SwiftData"),
            ("import Foundation\nlet a = SecItemDelete(q)", 2, 9, "SecItemDelete", "Security"),
            ("import AVKit\nlet a = AVPlayerViewController()", 2, 9, "AVPlayerViewController", "AVKit"),
            ("import MapKit\nlet a: [MKMapView] = []", 2, 9, "MKMapView", "MapKit"),
            ("import simd\nlet a = simd_float3(1, 2, 3)", 2, 9, "simd_float3", "simd"),
        ])
    func refused(text: String, line: Int, column: Int, name: String, module: String) throws {
        let result = try Tool.lower([("A.swift", text)])
        let error = try #require(result.diagnostics.first { $0.text.contains(": error: ") })
        #expect((error.line, error.column) == (line, column))
        #expect(error.message.hasPrefix(" \(name) belongs to \(module), which Greenroom does not have: "))
        #expect(result.status == 1)
    }

    @Test(
        "Names of the app's own, members and labels are not refused",
        arguments: [
            "import CloudKit\nclass CKMine {}\nlet a = CKMine()",
            "import StoreKit\nstruct Product {}\nfunc f(_ p: Product) {}",
            "import AudioToolbox\nlet a = b.AudioServicesPlay()", "import CoreHaptics\nlet a = f(CHHapticEngine: 1)",
            "import Foundation\nlet a = CHHapticEngine()",
            "import NotificationCenter\nlet c = NotificationCenter.default",
            "import Vision\nenum Vision { static let a = 1 }\nlet b = Vision.a",
            "import CoreHaptics\n#if canImport(CoreHaptics)\nlet a = CHHapticEngine()\n#endif",
        ])
    func allowed(text: String) throws {
        #expect(try Tool.complaints(text).filter { $0.text.contains(": error: ") }.isEmpty)
    }

    @Test(
        "A name of Apple's kernel is an error that says what to use",
        arguments: [
            ("import Darwin\nlet a = mach_absolute_time()", 2, 9, "mach_absolute_time", "ContinuousClock"),
            ("import Foundation\nvar a = mach_task_basic_info()", 2, 9, "mach_task_basic_info", "/proc/self"),
            ("import Darwin\nlet a = Darwin.kqueue()", 2, 16, "kqueue", "a dispatch source"),
        ])
    func kernel(text: String, line: Int, column: Int, name: String, advice: String) throws {
        let errors = try Tool.complaints(text)
        let error = try #require(errors.first)
        #expect((error.line, error.column, errors.count) == (line, column, 1))
        #expect(error.message.hasPrefix(" Linux has no \(name): ") && error.message.contains(advice))
        let ours = try Tool.complaints("func \(name)() {}\nlet a = \(name)(), b = c.\(name)()")
        #expect(ours.isEmpty)
        #expect(try Tool.complaints("#if canImport(ObjectiveC)\n\(text)\n#endif").isEmpty)
    }

    @Test("No name of Greenroom's frameworks is said to be missing")
    func frameworks() throws {
        let repository = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let table = try String(
            contentsOf: repository.appending(path: "Plugins/Lowering/AbsentModules+Table.swift"), encoding: .utf8)
        let modules = Set(table.matches(of: #/\n {8}(\w+)/#).map { String($0.1) })
        let files = try #require(FileManager.default.enumerator(atPath: repository.appending(path: "Sources").path))
            .compactMap { $0 as? String }.filter { $0.contains("Framework") && $0.hasSuffix(".swift") }
        let kinds: Set = ["func", "var", "let", "typealias", "struct", "class", "enum", "protocol", "actor"]
        var names: Set<String> = []
        for file in files {
            let text = try String(contentsOf: repository.appending(path: "Sources/\(file)"), encoding: .utf8)
            for line in text.split(separator: "\n") {
                let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
                guard !line.hasPrefix(" "), words.contains("public") || words.contains("open"),
                    !words.contains("extension"),
                    let kind = words.firstIndex(where: kinds.contains), words.indices.contains(kind + 1)
                else { continue }
                names.insert(words[kind + 1])
            }
        }
        #expect(modules.count > 200 && names.count > 400)
        let text = modules.sorted().map { "import \($0)\n" } + names.sorted().map { "use(\($0).b)\n" }
        let errors = try Tool.complaints(text.joined()).filter { $0.text.contains(": error: ") }
        #expect(errors.map(\.text) == [])
    }
}
