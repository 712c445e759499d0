import Model
import PolicyCore
import Testing

@Suite("Under a debugger") struct DebuggerTests {
    @Test("A traced program that ignores SIGTERM is left alone until the tracer is gone")
    func tracedTermination() {
        let device = TestDevice()
        let app = device.installTest("vim", kind: .plain)
        device.open(app)
        device.change(app) {
            $0.isTraced = true
            $0.ignoresTermination = true
        }
        device.perform(.close(app, wait: false))
        device.pass(.seconds(60))
        #expect(device.state(app) == .background)
        device.change(app) { $0.isTraced = false }
        device.pass(.seconds(5))
        #expect(device.state(app) == .notRunning)
        device.finish()
    }

    @Test("Under a debugger every clock starts again, whichever of them was over")
    func everyClock() {
        let device = TestDevice()
        let (hanging, other) = (device.installTest("hanging"), device.installTest("other"))
        device.open(hanging)
        device.change(hanging) {
            $0.isTraced = true
            $0.hangsIn = [.willResignActive]
            $0.answersPings = false
        }
        // The main thread is asked after 5 s, and its time is over 10 s later; by then it is in a callback.
        device.pass(.seconds(14))
        device.perform(.open(other, role: .primary, wait: false))
        device.pass(.seconds(9))
        device.change(hanging) { $0.isTraced = false }
        device.pass(.seconds(1.5))
        #expect(device.reports.isEmpty, "the callback's ten seconds began when the debugger was seen last")
        device.pass(.seconds(10))
        #expect(device.reports.count == 1)
        device.finish()
    }
}
