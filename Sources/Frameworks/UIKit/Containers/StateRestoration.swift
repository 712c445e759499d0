internal import AppRuntime
internal import Foundation
internal import Glibc

/// Keeps what the windows of an app without scenes show, as far as its delegate wants that: in the app's container,
/// where Apple's system keeps it as well.
@MainActor
enum StateRestoration {
    private static var folder: URL {
        URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent("Library/Saved Application State")
    }
    private static var file: URL { folder.appendingPathComponent("windows.plist") }
    /// What it is called while it is read. One that is left was the app's end, and is not read again.
    private static var fileInUse: URL { folder.appendingPathComponent("windows.restoring.plist") }

    private enum Key {
        static let application = "application"
        static let controllers = "controllers"
    }

    // MARK: Saving

    /// After the app has entered the background.
    static func save(_ application: UIApplication) {
        guard let delegate = application.delegate else { return }
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        let version =
            (AppInformation.substitute ?? Bundle.main.infoDictionary ?? [:])["CFBundleVersion"] as? String ?? ""
        coder.encode(version as NSString, forKey: UIApplication.stateRestorationBundleVersionKey)
        guard
            delegate.application(application, shouldSaveSecureApplicationState: coder)
                || delegate.application(application, shouldSaveApplicationState: coder)
        else {
            unsafe unlink(file.path)
            return
        }
        delegate.application(application, willEncodeRestorableStateWith: coder)
        var controllers: [String: Data] = [:]
        for (path, controller) in self.controllers(of: application) {
            let coder = NSKeyedArchiver(requiringSecureCoding: false)
            controller.encodeRestorableState(with: coder)
            coder.finishEncoding()
            controllers[path] = coder.encodedData
        }
        coder.finishEncoding()
        let list: [String: Any] = [Key.application: coder.encodedData, Key.controllers: controllers]
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
                .write(to: file, options: .atomic)
        } catch {
            ApplicationLauncher.complain("what the windows show is not kept: \(error.localizedDescription)")
        }
    }

    // MARK: Restoring

    /// Before `application(_:didFinishLaunchingWithOptions:)`.
    static func restore(_ application: UIApplication) {
        let (file, fileInUse) = (file.path, fileInUse.path)
        // At every launch, and nearly always there is none: not by way of errors of Foundation.
        unsafe unlink(fileInUse)
        guard let delegate = application.delegate, unsafe rename(file, fileInUse) == 0 else { return }
        defer { unsafe rename(fileInUse, file) }
        guard let data = FileManager.default.contents(atPath: fileInUse),
            let list = try? unsafe PropertyListSerialization.propertyList(from: data, options: [], format: nil),
            let fields = list as? [String: Any], let state = fields[Key.application] as? Data,
            let coder = try? NSKeyedUnarchiver(forReadingFrom: state)
        else { return }
        guard
            delegate.application(application, shouldRestoreSecureApplicationState: coder)
                || delegate.application(application, shouldRestoreApplicationState: coder)
        else { return }
        let present = Dictionary(controllers(of: application)) { first, _ in first }
        var restored: [UIViewController] = []
        let saved = fields[Key.controllers] as? [String: Data] ?? [:]
        // What is around a controller before it.
        for (path, data) in saved.sorted(by: { $0.key < $1.key }) {
            guard let coder = try? NSKeyedUnarchiver(forReadingFrom: data) else { continue }
            // As much of it is decoded as is asked for.
            coder.requiresSecureCoding = false
            let names = path.split(separator: "/").map(String.init)
            let made = delegate.application(
                application, viewControllerWithRestorationIdentifierPath: names, coder: coder)
            guard let controller = made ?? present[path] else { continue }
            controller.decodeRestorableState(with: coder)
            restored.append(controller)
        }
        delegate.application(application, didDecodeRestorableStateWith: coder)
        for controller in restored { controller.applicationFinishedRestoringState() }
    }

    // MARK: Controllers

    /// Those that have an identifier, as all around them do, by the identifiers from the window's root on.
    private static func controllers(of application: UIApplication) -> [(String, UIViewController)] {
        var found: [(String, UIViewController)] = []
        func add(_ controller: UIViewController, below path: String) {
            guard let name = controller.restorationIdentifier, !name.isEmpty else { return }
            let path = path.isEmpty ? name : "\(path)/\(name)"
            found.append((path, controller))
            for child in controller.children { add(child, below: path) }
            if let presented = controller.presentedViewController { add(presented, below: path) }
        }
        for window in application.windows {
            if let root = window.rootViewController { add(root, below: "") }
        }
        return found
    }
}

extension UIApplication {
    /// In the coder of the app's saved state: the bundle's version that wrote it, a string.
    public nonisolated static let stateRestorationBundleVersionKey = "UIApplicationStateRestorationBundleVersion"
}
