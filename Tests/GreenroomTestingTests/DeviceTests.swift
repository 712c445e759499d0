import GreenroomTesting
import Testing
import UIKit

extension TestingTests {
    @Suite("The device")
    @MainActor
    struct DeviceTests {
        // MARK: What cannot be

        @Test("There is one device at a time, and the error says what to do")
        func oneDevice() async throws {
            let device = try TestDevice(.iOS7)
            let error = #expect(throws: TestDeviceError.anotherDevice) { try TestDevice(.iOS7) }
            #expect(error?.description.contains(".simulatedDevice") == true)
            try await device.advance(by: .seconds(1))
        }

        @Test("There is one app of real code on a device, one app of a name, and names that a bundle could have")
        func oneApp() throws {
            let device = try TestDevice(.iOS7)
            _ = try device.installProbe()
            #expect(throws: TestDeviceError.secondRealApp("Probe")) {
                try device.install(Probe.self, identifier: "org.example.other")
            }
            #expect(throws: TestDeviceError.invalidIdentifier("no spaces")) {
                try device.installScripted("no spaces")
            }
            #expect(throws: TestDeviceError.self) { try device.installScripted("com.example.Probe") }
            #expect(try device.installScripted("com.example.Probe", name: "Other").name == "Other")
        }

        @Test("What the system refuses is an error with its sentence")
        func refused() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            try await device.lock()
            let error = await #expect(throws: TestDeviceError.self) { try await device.open(probe) }
            #expect(error?.description.contains("the device is locked") == true)
            try await device.unlock()
            await #expect(throws: TestDeviceError.self) { try await device.dismiss(.call) }
            await #expect(throws: TestDeviceError.self) { try await device.close(probe) }
            let url = try #require(URL(string: "nobody://x"))
            await #expect(throws: TestDeviceError.self) { try await device.open(url) }
            try await device.uninstall(probe)
            await #expect(throws: TestDeviceError.self) { try await device.open(probe) }
        }

        // MARK: Other apps

        @Test("What the daemon refuses as too long is refused here too")
        func limits() async throws {
            let device = try TestDevice(.linux)
            let probe = try device.installProbe()
            try await device.open(probe)
            let fits = try #require(URL(string: "probe:" + String(repeating: "x", count: 8192 - 6)))
            let tooLong = try #require(URL(string: "probe:" + String(repeating: "x", count: 8192 - 5)))
            try await probe.perform { _ in
                #expect(UIApplication.shared.canOpenURL(fits) && !UIApplication.shared.canOpenURL(tooLong))
            }
        }

        @Test("Apps open each other by URL, and learn who it was")
        func urls() async throws {
            let device = try TestDevice(.iOS7)
            let browser = try device.installScripted(
                "org.example.Browser", urlSchemes: ["https"], reactions: [.openURL: [.open(url: "probe://back")]])
            let probe = try device.installProbe()
            try await device.open(#require(URL(string: "PROBE://first")))
            #expect(probe.delegate?.launchOptions?[.url] as? URL == URL(string: "PROBE://first"))
            #expect(probe.delegate?.opened.map(\.url.absoluteString) == ["PROBE://first"])
            #expect(probe.delegate?.opened.first?.source == nil)
            let (known, unknown) = (
                try #require(URL(string: "https://a.example")), try #require(URL(string: "nobody://x"))
            )
            try await probe.perform { probe in
                #expect(UIApplication.shared.canOpenURL(known) && !UIApplication.shared.canOpenURL(unknown))
                for url in [unknown, known] {
                    UIApplication.shared.open(url) { probe.trace.append("\(url.absoluteString) \($0)") }
                }
            }
            #expect(probe.delegate?.trace == ["nobody://x false", "https://a.example true"])
            // The browser sent the user back.
            #expect(browser.callbacks.contains(.openURL) && browser.state == .suspended)
            #expect(probe.state == .active)
            #expect(probe.delegate?.opened.last?.url.absoluteString == "probe://back")
            #expect(probe.delegate?.opened.last?.source == "org.example.Browser")
        }

        @Test("A scripted app does what it is told, and an assertion says why it runs on")
        func scripted() async throws {
            let device = try TestDevice(.iOS7)
            let player = try device.installScripted(
                "org.example.Player", backgroundModes: ["audio"], reactions: [.didBecomeActive: [.beginAudio]],
                durations: [.didFinishLaunching: .seconds(3)])
            try await device.open(player)
            #expect(device.clock.now.sinceStart > .seconds(3))
            try await device.home()
            #expect(player.state == .background)
            #expect(player.assertions.map(\.name) == ["audio"])
            #expect(player.assertions.first?.reason.contains("it plays audio") == true)
            try await player.perform(.after(.seconds(30), .endAudio))
            try await device.advance(by: .seconds(31))
            #expect(player.state == .suspended && player.assertions.isEmpty)
            try await device.exempt(player)
            #expect(player.state == .background && player.assertions.map(\.name) == ["exemption"])
            try await player.perform(.exit(status: 0))
            #expect(player.state == .notRunning)
        }

        // MARK: Limits

        @Test("A delegate method that does not return is ended after its limit, and the report says so")
        func hang() async throws {
            let device = try TestDevice(.iPhone4)
            let probe = try device.installProbe()
            try await device.open(probe)
            try await probe.hang(in: .didEnterBackground)
            try await device.home()
            #expect(probe.state == .notRunning && probe.delegate == nil)
            let report = try #require(device.reports.first)
            #expect(report.app == "Probe" && report.code == 0x8bad_f00d)
            #expect(report.reason.contains("allowance of 6.00 seconds"))
            #expect(report.description.contains("0x8badf00d"))
        }

        @Test("A method may take what its limit allows, and not more")
        func slow() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            probe.prolong(.didEnterBackground, by: .milliseconds(4900))
            try await device.open(probe)
            try await device.home()
            #expect(probe.state == .suspended)
            probe.prolong(.didEnterBackground, by: .milliseconds(5100))
            try await device.open(probe)
            try await device.home()
            #expect(probe.state == .notRunning && probe.reports.count == 1)
        }

        @Test("A blocked main thread is noticed; one that recovers in time is not")
        func blocked() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            try await device.open(probe)
            try await probe.blockMainThread()
            try await device.advance(by: .seconds(5))
            try await probe.recover()
            try await device.advance(by: .seconds(60))
            #expect(probe.state == .active)
            try await probe.blockMainThread()
            try await device.advance(by: .seconds(60))
            #expect(probe.state == .notRunning && probe.reports.first?.namespace == "WATCHDOG")
        }

        // MARK: Telling

        @Test("Log and why tell what happened in sentences, back to the first cause")
        func tells() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            try await device.open(probe)
            try await device.home()
            #expect(
                probe.why == [
                    "it is not on screen, and no assertion entitles it to run in the background",
                    "it is no longer on screen", "it is no longer what the user acts on", "the user pressed Home",
                ])
            let entry = try #require(device.log.last)
            #expect(entry.app == "Probe" && entry.event == "suspended")
            #expect(entry.description.hasSuffix(" s  Probe suspended: \(entry.reason)"))
            #expect(device.log.first?.app == nil)
        }

        @Test("A profile is found by its name, and any other name is refused with those that there are")
        func profileNames() throws {
            let all: [TestDevice.Profile] = [.linux, .iPhoneOS3, .iPhone3GS, .iPhone4, .iOS7, .iPadAir2]
            let names = ["linux", "iphone-os-3", "iphone-3gs", "iphone-4", "ios-7", "ipad-air-2"]
            #expect(try names.map { try TestDevice.Profile(named: $0) } == all)
            #expect(TestDevice.Profile.all == all)
            let error = #expect(throws: TestDeviceError.self) { try TestDevice.Profile(named: "iOS7") }
            #expect(
                error?.description == "there is no device profile iOS7; there are \(names.joined(separator: ", "))")
        }

        // MARK: Files

        @Test("Foundation finds the app's files in the device's folder, which later devices do not")
        func container() async throws {
            let home = NSHomeDirectory()
            var seen: [String?] = []
            for _ in 0..<2 {
                let device = try TestDevice(.iOS7)
                #expect(NSHomeDirectory() == device.container.path)
                let probe = try device.installProbe { probe in
                    probe.onLaunch = { probe in
                        let manager = FileManager.default
                        for folder in [
                            FileManager.SearchPathDirectory.documentDirectory, .cachesDirectory,
                            .applicationSupportDirectory,
                        ] {
                            guard let place = manager.urls(for: folder, in: .userDomainMask).first else { continue }
                            probe.trace.append(place.path)
                            try? Data([1]).write(to: place.appendingPathComponent("file"))
                        }
                        seen.append(UserDefaults.standard.string(forKey: "greenroom"))
                        UserDefaults.standard.set("kept", forKey: "greenroom")
                    }
                }
                let folder = probe.container.path
                try await device.open(probe)
                #expect(
                    probe.delegate?.trace == [
                        folder + "/Documents", folder + "/Library/Caches", folder + "/Library/Application Support",
                    ])
                try await device.restart(probe)
                #expect(FileManager.default.fileExists(atPath: folder + "/Documents/file"))
            }
            // Kept from launch to launch, and not from device to device.
            #expect(seen == [nil, "kept", nil, "kept"])
            #expect(NSHomeDirectory() == home)
            #expect(UserDefaults.standard.string(forKey: "greenroom") == nil)
        }
    }

    /// Tests that leave a device behind, and come after such. That a suite around this one asks for turns, too, must
    /// not make it wait for itself.
    @Suite("Taking turns", .simulatedDevice)
    @MainActor
    struct TurnTests {
        private static var left: TestDevice?

        @Test("What a test leaves of its device is taken down", arguments: 0..<4)
        func leaves(number: Int) async throws {
            if let left = Self.left {
                await #expect(throws: TestDeviceError.deviceEnded) { try await left.home() }
                #expect(throws: TestDeviceError.deviceEnded) { try left.installProbe() }
            }
            #expect(UIApplication.running == nil)
            let device = try TestDevice(.iOS7)
            try await device.open(device.installProbe())
            Self.left = device
        }

        @Test("An issue in such a test tells what the device did")
        func explains() async throws {
            #expect(RecentLog.text == nil)
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            try await device.open(probe)
            let text = try #require(RecentLog.text)
            #expect(text.contains("Probe didBecomeActive: it is on screen and nothing lies over it"))
        }
    }
}
