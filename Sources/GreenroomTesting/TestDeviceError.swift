/// Why a simulated device does not do something. The description says what to do instead.
public enum TestDeviceError: Error, Hashable, CustomStringConvertible {
    /// The system refuses, or what was asked for can no longer become true; the sentence says why.
    case refused(String)
    /// The app does not run, or is suspended, so that nothing of it can be called.
    case notRunning(String)
    /// A device has one app of real code; `InstalledApp`s made by `installScripted` stand in for the others.
    case secondRealApp(String)
    /// Another device exists in this process.
    case anotherDevice
    /// The device is gone: its test is over.
    case deviceEnded
    /// An app's identifier that no bundle could have.
    case invalidIdentifier(String)
    /// An `Info.plist` that cannot be read, or lacks what an app needs.
    case unreadableInformation(String)
    /// A delegate that the system could not create.
    case unsuitableDelegate(String)
    /// The app's code goes on for ever without waiting for anything.
    case neverRests
    /// This process is not one in which tests can be run so.
    case unsupported(String)
    /// A rule of Greenroom's own was broken.
    case broken(String)

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .refused(let sentence), .unsupported(let sentence): sentence
        case .notRunning(let sentence): sentence
        case .secondRealApp(let name):
            "the device already runs the code of \(name), and UIApplication.shared is one for a process: "
                + "use installScripted(_:) for the other apps"
        case .anotherDevice:
            "another TestDevice exists in this process, and UIApplication.shared, NotificationCenter.default and the "
                + "main queue are one for all: put the trait .simulatedDevice on every suite that makes one, and make "
                + "one a test"
        case .deviceEnded: "the test that this device belongs to is over: make a device in each test"
        case .invalidIdentifier(let text):
            "\(text) cannot be an app's identifier: use letters, digits, dots, hyphens and underscores, as in org.example.app"
        case .unsuitableDelegate(let sentence), .unreadableInformation(let sentence): sentence
        case .neverRests:
            "the app never comes to rest: something on the main actor or the main queue calls itself again and again "
                + "without waiting (for the clock, or for an event)"
        case .broken(let text):
            "Greenroom broke one of its own rules, which is a fault in Greenroom and not in the app: \(text)"
        }
    }
}
