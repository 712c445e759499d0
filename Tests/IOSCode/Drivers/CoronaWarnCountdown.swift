import Foundation
import GreenroomTesting
import Testing
import UIKit
import UserNotifications

@testable import CoronaWarnCountdown

final class Listener: CountdownTimerDelegate {
    var ended = false
    var updates = 0
    func countdownTimer(_ timer: CountdownTimer, didEnd done: Bool) { ended = done }
    func countdownTimer(_ timer: CountdownTimer, didUpdate time: String) { updates += 1 }
}

@Suite("Corona-Warn-App's countdown")
struct CoronaWarnCountdownTests {
    @Test("It counts to its end")
    func ends() {
        let listener = Listener()
        let timer = CountdownTimer(countdownTo: Date(timeIntervalSinceNow: -1))
        timer.delegate = listener
        timer.start()
        #expect(listener.ended)
        let other = CountdownTimer(countUpFrom: Date())
        other.delegate = listener
        other.start()
        #expect(listener.updates == 1)
        other.invalidate()
    }

    @Test("The notification center is what its protocol asks for")
    func center() { #expect(UNUserNotificationCenter.current() as Any is any UserNotificationCenter) }
}
