import Foundation
import GreenroomTesting
import Testing
import UIKit
import XCTest

/// The same in a test of XCTest, whose main thread has a run loop. `XCTestTests` runs it.
@MainActor
final class DeviceCase: XCTestCase {
    func testLife() async throws {
        let device = try TestDevice(.iOS7)
        let probe = try device.installProbe { probe in
            probe.onBackground = { probe in
                Task {
                    for number in 0..<100 { _ = await away(3 + number % 2) }
                    probe.trace.append("saved")
                }
            }
        }
        try await device.open(probe)
        XCTAssertEqual(probe.state, .active)
        try await device.home()
        XCTAssertEqual(probe.state, .suspended)
        XCTAssertEqual(probe.delegate?.trace, ["saved"])
        try await device.advance(by: .seconds(3600))
        try await device.close(probe)
        XCTAssertEqual(probe.state, .notRunning)
    }

    func testVirtualTime() async throws {
        XCTAssertThrowsError(try TestDevice(.iOS7, virtualizesTime: true))
    }
}

@Suite("Tests of XCTest")
struct XCTestTests {
    @Test("A device does there what it does here")
    func runs() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["GreenroomTestingTests.DeviceCase"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        let end = AsyncStream<Int32>.makeStream()
        process.terminationHandler = {
            end.continuation.yield($0.terminationStatus)
            end.continuation.finish()
        }
        try process.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        var status: Int32?
        for await ended in end.stream { status = ended }
        #expect(status == 0 && said.contains("Executed 2 tests, with 0 failures"), "\(said)")
    }
}
