internal import Foundation

/// `UIApplicationSceneManifest` of `Info.plist`: that an app has scenes, and of which classes they are.
@MainActor
package struct SceneManifest {
    package struct Configuration {
        package var name: String?
        package var sceneClass: AnyClass?
        package var delegateClass: AnyClass?

        package init(name: String?, sceneClass: AnyClass? = nil, delegateClass: AnyClass?) {
            self.name = name
            self.sceneClass = sceneClass
            self.delegateClass = delegateClass
        }
    }

    /// `UIApplicationSupportsMultipleScenes`.
    package let supportsMultipleScenes: Bool
    private let configurations: [UISceneSession.Role: [Configuration]]
    /// What is wrong with it, in sentences.
    package let complaints: [String]

    package init(_ configurations: [UISceneSession.Role: [Configuration]], supportsMultipleScenes: Bool = false) {
        self.configurations = configurations
        self.supportsMultipleScenes = supportsMultipleScenes
        complaints = []
    }

    /// - Parameters:
    ///   - information: the whole `Info.plist`; `nil` comes of one without a manifest.
    ///   - module: the module of the app's own code, which Xcode puts in for `$(PRODUCT_MODULE_NAME)`.
    package init?(information: [String: Any], module: String?) {
        guard let manifest = information["UIApplicationSceneManifest"] as? [String: Any] else { return nil }
        var complaints: [String] = []
        func type(_ key: String, in declared: [String: Any]) -> AnyClass? {
            guard var name = declared[key] as? String else { return nil }
            if let module { name = name.replacing("$(PRODUCT_MODULE_NAME)", with: module) }
            if let found = NSClassFromString(name) { return found }
            if let module, let found = NSClassFromString("\(module).\(name)") { return found }
            complaints.append("Info.plist gives \(name) for \(key), and there is no such class")
            return nil
        }
        let roles = manifest["UISceneConfigurations"] as? [String: Any] ?? [:]
        var found: [UISceneSession.Role: [Configuration]] = [:]
        for (role, declared) in roles {
            found[UISceneSession.Role(rawValue: role)] = (declared as? [[String: Any]] ?? []).map { one in
                Configuration(
                    name: one["UISceneConfigurationName"] as? String,
                    sceneClass: type("UISceneClassName", in: one),
                    delegateClass: type("UISceneDelegateClassName", in: one))
            }
        }
        configurations = found
        supportsMultipleScenes = manifest["UIApplicationSupportsMultipleScenes"] as? Bool ?? false
        self.complaints = complaints
    }

    package func configuration(named name: String, _ role: UISceneSession.Role) -> Configuration? {
        configurations[role]?.first { $0.name == name }
    }

    /// The first one of its role, which is what a scene gets that the app delegate says nothing of.
    package func first(_ role: UISceneSession.Role) -> Configuration? { configurations[role]?.first }
}
