import UIKit

/// Reminds of a break every twenty minutes, as long as it is in front.
class BreaksDelegate: UIResponder, UIApplicationDelegate {
    var clock: any Clock<Duration> = ContinuousClock()
    private(set) var breaks = 0
    private var timer: Task<Void, any Error>?

    func applicationDidBecomeActive(_ application: UIApplication) {
        timer = clock.timer(every: .seconds(1200)) { [weak self] in self?.breaks += 1 }
    }

    func applicationWillResignActive(_ application: UIApplication) { timer?.cancel() }
}
