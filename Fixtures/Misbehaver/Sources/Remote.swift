import Glibc
import UIKit

/// What a test has a running app do without opening a URL: one signal lets every callback return that is held, now or
/// later; another one has the app obey the URLs in `Documents/order-PID-1`, `…-2` and so on, each once and in order; a
/// third one lets it take a megabyte of memory, as often as it comes.
enum Remote {
    // Real-time signals: Swift's own crash handler needs SIGUSR1.
    static let release: CInt = 40
    static let order: CInt = 41
    static let feed: CInt = 42

    /// Open for good once somebody has signalled it.
    private static let gate = DispatchSemaphore(value: 0)

    /// To be called before any other thread exists, so that all of them leave these signals to this one.
    static func listen() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, release)
        unsafe sigaddset(&signals, order)
        unsafe sigaddset(&signals, feed)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        let awaited = signals
        Thread { serve(awaited) }.start()
    }

    private static func serve(_ signals: sigset_t) -> Never {
        var signals = signals
        while true {
            var number: CInt = 0
            guard unsafe sigwait(&signals, &number) == 0 else { continue }
            switch number {
            case release: gate.signal()
            case feed: unsafe Greed.take(1)
            default: DispatchQueue.main.async { obey() }
            }
        }
    }

    static func awaitRelease() {
        gate.wait()
        gate.signal()
    }

    @MainActor private static var obeyed = 0

    /// Orders may come faster than signals are served: all that are there.
    @MainActor private static func obey() {
        let orders = NSHomeDirectory() + "/Documents/order-\(getpid())-"
        while let text = try? String(contentsOfFile: orders + "\(obeyed + 1)", encoding: .utf8) {
            obeyed += 1
            guard let url = URL(string: text), let delegate = UIApplication.shared.delegate as? AppDelegate else {
                say("\(text) is no order")
                continue
            }
            _ = delegate.obey(url)
        }
    }
}
