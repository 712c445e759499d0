internal import AppRuntime
public import Foundation
internal import Model
internal import Simulation
public import UIKit

extension TestDevice {
    /// Installs the app whose code is tested. Every launch creates a new delegate, as on a device.
    ///
    /// - Parameters:
    ///   - delegate: the class of the app's delegate, a subclass of `UIResponder` or `NSObject`.
    ///   - identifier: the bundle's identifier, for example `org.example.journal`.
    ///   - name: what log and reports call it; the last part of the identifier unless given.
    ///   - urlSchemes: those of `CFBundleURLTypes`.
    ///   - backgroundModes: those of `UIBackgroundModes`, for example `audio`.
    ///   - backgroundTasks: those of `BGTaskSchedulerPermittedIdentifiers`.
    ///   - exitsOnSuspend: `UIApplicationExitsOnSuspend`.
    ///   - principal: the class of the app.
    ///   - sceneDelegate: the class of its scenes' delegate, as `Info.plist` gives it in `UIApplicationSceneManifest`;
    ///     `nil`: the app has no scenes.
    ///   - supportsMultipleScenes: `UIApplicationSupportsMultipleScenes`.
    ///   - clock: where the delegate takes its clock; it gets the device's, before any of its methods is called.
    ///   - configure: called with every new delegate before any of its methods. It should not hold the device, which
    ///     would then hold itself.
    /// - Throws: `TestDeviceError` if there is such an app already, or it could not be installed.
    @discardableResult
    public func install<Delegate: UIApplicationDelegate>(
        _ delegate: Delegate.Type, identifier: String, name: String? = nil, urlSchemes: [String] = [],
        backgroundModes: [String] = [], backgroundTasks: [String] = [], exitsOnSuspend: Bool = false,
        principal: UIApplication.Type = UIApplication.self, sceneDelegate: (any UISceneDelegate.Type)? = nil,
        supportsMultipleScenes: Bool = false,
        clock: ReferenceWritableKeyPath<Delegate, any Clock<Duration>>? = nil, configure: ((Delegate) -> Void)? = nil
    ) throws(TestDeviceError) -> TestedApp<Delegate> {
        if let sceneDelegate, !(sceneDelegate is NSObject.Type) {
            throw .unsuitableDelegate(Instantiation.Failure.notAnNSObject("\(sceneDelegate)").description)
        }
        let information = TestedInformation(
            identifier: identifier, name: name, urlSchemes: urlSchemes, backgroundModes: backgroundModes,
            backgroundTasks: backgroundTasks, exitsOnSuspend: exitsOnSuspend)
        let scenes = sceneDelegate.map { Self.manifest($0, supportsMultipleScenes) }
        let source = StorySource.installation(
            delegate, identifier: identifier, name: name,
            lists: [
                ("urlSchemes", urlSchemes), ("backgroundModes", backgroundModes), ("backgroundTasks", backgroundTasks),
            ], isMore: exitsOnSuspend || sceneDelegate != nil || clock != nil || configure != nil)
        return try install(
            delegate, information, scenes: scenes, principal: principal, source: source, clock: clock,
            configure: configure)
    }

    /// Installs the app whose code is tested, as its `Info.plist` says: its identifier and name, background modes,
    /// tasks, URL schemes and scenes. The app's code meets the same keys where a framework of Greenroom reads them;
    /// `Bundle.main` stays that of the tests.
    ///
    /// - Parameters:
    ///   - delegate: the class of the app's delegate, a subclass of `UIResponder` or `NSObject`.
    ///   - infoPlist: the file, as XML or binary.
    ///   - identifier: the bundle's identifier, where the file has a build setting such as
    ///     `$(PRODUCT_BUNDLE_IDENTIFIER)`; `nil`: the file's.
    ///   - principal: the class of the app.
    ///   - clock: where the delegate takes its clock; it gets the device's, before any of its methods is called.
    ///   - configure: called with every new delegate before any of its methods. It should not hold the device, which
    ///     would then hold itself.
    /// - Throws: `TestDeviceError` if the file cannot be read or has no identifier, if there is such an app already, or
    ///   if it could not be installed.
    @discardableResult
    public func install<Delegate: UIApplicationDelegate>(
        _ delegate: Delegate.Type, infoPlist: URL, identifier: String? = nil,
        principal: UIApplication.Type = UIApplication.self,
        clock: ReferenceWritableKeyPath<Delegate, any Clock<Duration>>? = nil, configure: ((Delegate) -> Void)? = nil
    ) throws(TestDeviceError) -> TestedApp<Delegate> {
        let module = String(reflecting: delegate).split(separator: ".").first.map(String.init)
        let information = try TestedInformation(file: infoPlist, identifier: identifier, module: module)
        let scenes = SceneManifest(information: information.dictionary, module: module)
        let source = StorySource.installation(
            delegate, identifier: information.identifier, name: information.name, lists: [], isMore: true)
        return try install(
            delegate, information, scenes: scenes, principal: principal, source: source, clock: clock,
            configure: configure)
    }

    private func install<Delegate: UIApplicationDelegate>(
        _ delegate: Delegate.Type, _ information: TestedInformation, scenes: SceneManifest?,
        principal: UIApplication.Type, source: String,
        clock: ReferenceWritableKeyPath<Delegate, any Clock<Duration>>?, configure: ((Delegate) -> Void)?
    ) throws(TestDeviceError) -> TestedApp<Delegate> {
        guard !hasEnded else { throw .deviceEnded }
        if code != nil { throw .secondRealApp(simulated.apps[codePlace].script.name) }
        guard delegate is NSObject.Type else {
            throw .unsuitableDelegate(Instantiation.Failure.notAnNSObject("\(delegate)").description)
        }
        let script = try script(
            information.identifier, information.name, urlSchemes: information.urlSchemes,
            backgroundModes: information.backgroundModes, exitsOnSuspend: information.exitsOnSuspend,
            backgroundTasks: information.backgroundTasks,
            scenes: scenes.map { $0.supportsMultipleScenes ? .several : .one } ?? .none)
        let code = AppCode(
            principal: principal, delegate: delegate, scenes: scenes, on: simulated, since: start, sleepers: sleepers,
            services: services
        ) { [own = self.clock] made in
            guard let made = made as? Delegate else { return }
            if let clock { made[keyPath: clock] = own }
            configure?(made)
        }
        let place = simulated.install(script, program: code)
        code.place = place
        take(code, at: place, source: source)
        let file = information.file
        AppInformation.use { TestedInformation.dictionary(file) }
        note { other in
            try other.install(
                delegate, information, scenes: scenes, principal: principal, source: source, clock: clock,
                configure: configure)
        }
        return TestedApp(self, place: place, name: script.name, code: code)
    }

    private static func manifest(_ delegate: any UISceneDelegate.Type, _ areSeveral: Bool) -> SceneManifest {
        SceneManifest(
            [.windowApplication: [.init(name: "Default Configuration", delegateClass: delegate as AnyClass)]],
            supportsMultipleScenes: areSeveral)
    }
}

/// The `Info.plist` of the app whose code is tested.
struct TestedInformation: Sendable {
    /// As a property list.
    let file: Data
    let identifier: String
    let name: String?
    let urlSchemes: [String]
    let backgroundModes: [String]
    let backgroundTasks: [String]
    let exitsOnSuspend: Bool

    init(
        identifier: String, name: String?, urlSchemes: [String], backgroundModes: [String], backgroundTasks: [String],
        exitsOnSuspend: Bool
    ) {
        self.identifier = identifier
        self.name = name
        self.urlSchemes = urlSchemes
        self.backgroundModes = backgroundModes
        self.backgroundTasks = backgroundTasks
        self.exitsOnSuspend = exitsOnSuspend
        var keys: [String: Any] = [
            "CFBundleIdentifier": identifier, "UIBackgroundModes": backgroundModes,
            "BGTaskSchedulerPermittedIdentifiers": backgroundTasks, "UIApplicationExitsOnSuspend": exitsOnSuspend,
            "CFBundleURLTypes": [["CFBundleURLSchemes": urlSchemes]],
        ]
        keys["CFBundleName"] = name
        file = Self.data(keys)
    }

    /// - Parameter module: what Xcode would put for the module in the names of classes.
    init(file: URL, identifier: String?, module: String?) throws(TestDeviceError) {
        let data: Data
        do { data = try Data(contentsOf: file) } catch {
            throw .unreadableInformation("\(file.path) cannot be read: \(error.localizedDescription)")
        }
        var keys = Self.dictionary(data)
        guard !keys.isEmpty else { throw .unreadableInformation("\(file.path) is no property list with keys") }
        keys["CFBundleIdentifier"] = identifier ?? keys["CFBundleIdentifier"]
        guard let identifier = keys["CFBundleIdentifier"] as? String else {
            throw .unreadableInformation("\(file.path) has no CFBundleIdentifier: give the identifier to install")
        }
        if let module { keys = keys.mapValues { Self.named($0, module) } }
        self.file = Self.data(keys)
        self.identifier = identifier
        let names = ["CFBundleDisplayName", "CFBundleName"].compactMap { keys[$0] as? String }
        name = names.first { !$0.isEmpty && !$0.contains("$(") && !$0.contains("${") }
        urlSchemes = (keys["CFBundleURLTypes"] as? [[String: Any]] ?? []).flatMap {
            Self.list($0["CFBundleURLSchemes"])
        }
        backgroundModes = Self.list(keys["UIBackgroundModes"])
        backgroundTasks = Self.list(keys["BGTaskSchedulerPermittedIdentifiers"])
        exitsOnSuspend = keys["UIApplicationExitsOnSuspend"] as? Bool ?? false
    }

    var dictionary: [String: Any] { Self.dictionary(file) }

    static func dictionary(_ file: Data) -> [String: Any] {
        let list = try? unsafe PropertyListSerialization.propertyList(from: file, options: [], format: nil)
        // A file that is not a property list has no keys: `init(file:identifier:module:)` reports it.
        return list as? [String: Any] ?? [:]
    }

    private static func data(_ keys: [String: Any]) -> Data {
        // They come from a property list, or are strings, lists and a truth.
        (try? PropertyListSerialization.data(fromPropertyList: keys, format: .binary, options: 0)) ?? Data()
    }

    private static func named(_ value: Any, _ module: String) -> Any {
        switch value {
        case let text as String:
            ["$(PRODUCT_MODULE_NAME)", "${PRODUCT_MODULE_NAME}"].reduce(text) { text, setting in
                text.replacingOccurrences(of: setting, with: module)
            }
        case let list as [Any]: list.map { named($0, module) }
        case let keys as [String: Any]: keys.mapValues { named($0, module) }
        default: value
        }
    }

    /// One thing may stand for a list, as on a device.
    private static func list(_ value: Any?) -> [String] {
        (value as? [Any] ?? value.map { [$0] } ?? []).compactMap { $0 as? String }
    }
}
