internal import Foundation

/// The settings of a target for its release, and the files that they come from.
struct TargetSettings {
    private(set) var settings = Settings()
    private(set) var complaints: [String] = []
    /// The `.xcconfig` files that were read.
    private(set) var files: [URL] = []
    let configuration: String

    /// - Parameters:
    ///   - target: the target; `nil` for the project's own settings.
    ///   - wanted: the configuration to read, instead of the one that the target is released by.
    init(_ project: XcodeProject, target: XcodeProject.Object?, configuration wanted: String?) {
        let lists = [project.project, target].map { project[$0?.text("buildConfigurationList")] }
        let all = lists.map { list in project.objects(list?.list("buildConfigurations") ?? []) }
        let usual = lists.compactMap { $0?.text("defaultConfigurationName") }.last
        let available = Set((all.last { !$0.isEmpty } ?? []).compactMap { $0.text("name") })
        let names = [wanted, usual, "Release"].compactMap(\.self)
        configuration = names.first(where: available.contains) ?? available.sorted().first ?? "Release"
        if target != nil, let wanted, !available.isEmpty, !available.contains(wanted) {
            complaints.append("it has no configuration \(wanted): \(configuration) is used")
        }
        let conditions = SettingConditions(configuration: configuration)
        pushDefaults(project, target)
        for configurations in all {
            guard let chosen = configurations.first(where: { $0.text("name") == configuration }) ?? configurations.first
            else { continue }
            if let file = baseFile(of: chosen, project) {
                let read = ConfigurationFile(file, root: project.root)
                settings.push(read.assignments, conditions: conditions)
                complaints += read.complaints
                files += read.files
            }
            settings.push(Self.assignments(chosen), conditions: conditions)
        }
        if target != nil, all.allSatisfy(\.isEmpty), !lists.allSatisfy({ $0 == nil }) {
            complaints.append("it has no build configurations: its settings are unknown")
        }
        pushProduct(target)
    }

    private static func assignments(_ configuration: XcodeProject.Object) -> [SettingAssignment] {
        configuration.table("buildSettings").sorted { $0.key < $1.key }.compactMap { key, value in
            let text =
                value.text
                ?? value.list.map { items in items.compactMap(\.text).map(Self.word).joined(separator: " ") }
            return text.flatMap { SettingAssignment(key: key, value: $0) }
        }
    }

    /// An item of a list, so that it stays one word.
    private static func word(_ text: String) -> String {
        text.contains(" ") && !text.contains("\"") && !text.hasPrefix("-") && !text.contains("\\")
            ? "\"\(text)\"" : text
    }

    /// The values that Xcode gives when it builds for a device.
    private mutating func pushDefaults(_ project: XcodeProject, _ target: XcodeProject.Object?) {
        let name = target?.name ?? project.name
        let values = [
            "CONFIGURATION": configuration, "PROJECT_NAME": project.name, "PROJECT": project.name,
            "TARGET_NAME": name, "TARGETNAME": name, "SRCROOT": project.root.path, "PROJECT_DIR": project.root.path,
            "SOURCE_ROOT": project.root.path, "PROJECT_FILE_PATH": project.folder.path + "/\(project.name).xcodeproj",
            "PLATFORM_NAME": "iphoneos", "EFFECTIVE_PLATFORM_NAME": "-iphoneos", "PLATFORM_FAMILY_NAME": "iOS",
            "SDK_NAME": "iphoneos18.0", "ARCHS": "arm64", "CURRENT_ARCH": "arm64", "CURRENT_VARIANT": "normal",
            "MARKETING_VERSION": "1.0", "CURRENT_PROJECT_VERSION": "1", "PRODUCT_BUNDLE_PACKAGE_TYPE": "APPL",
            "DEVELOPMENT_LANGUAGE": project.project.text("developmentRegion") ?? "en",
            "WRAPPER_EXTENSION": "app", "EXECUTABLE_SUFFIX": "", "PRODUCT_NAME": "$(TARGET_NAME)",
        ]
        for (key, value) in values { settings.push(key, value) }
    }

    private mutating func pushProduct(_ target: XcodeProject.Object?) {
        if (settings["PRODUCT_NAME"] ?? "").isEmpty { settings.push("PRODUCT_NAME", target?.name ?? "App") }
        let module = ImportedTarget.module(settings["PRODUCT_MODULE_NAME"] ?? settings["PRODUCT_NAME"] ?? "App")
        settings.push("PRODUCT_MODULE_NAME", module)
        settings.pushBelow("EXECUTABLE_NAME", module)
        settings.pushBelow("FULL_PRODUCT_NAME", "$(PRODUCT_NAME).$(WRAPPER_EXTENSION)")
    }

    /// The file whose settings are under a configuration's own.
    private func baseFile(of configuration: XcodeProject.Object, _ project: XcodeProject) -> URL? {
        if let reference = configuration.text("baseConfigurationReference") {
            return project.file(reference, settings)
        }
        // In a synchronized folder.
        guard let folder = project.file(configuration.text("baseConfigurationReferenceAnchor"), settings) else {
            return nil
        }
        return configuration.text("baseConfigurationReferenceRelativePath").map { folder.appending(path: $0) }
    }

    // MARK: Platforms

    /// The system that a target is built for, if it is not iOS; `nil` if it is.
    var otherSystem: String? {
        let platforms = settings.list("SUPPORTED_PLATFORMS").map { $0.lowercased() }
        let kit = (settings["SDKROOT"] ?? "").lowercased()
        if !platforms.isEmpty {
            return platforms.contains { $0.hasPrefix("iphone") } ? nil : Self.system(of: platforms[0])
        }
        if kit.isEmpty || kit == "auto" {
            let others = ["MACOSX", "TVOS", "WATCHOS", "XROS"].filter { settings["\($0)_DEPLOYMENT_TARGET"] != nil }
            guard settings["IPHONEOS_DEPLOYMENT_TARGET"] == nil, let other = others.first else { return nil }
            return Self.system(of: other.lowercased())
        }
        return kit.contains("iphone") ? nil : Self.system(of: kit)
    }

    private static func system(of platform: String) -> String {
        let name = platform.split(separator: "/").last.map(String.init) ?? platform
        let systems = [
            "mac": "macOS", "appletv": "tvOS", "tvos": "tvOS", "watch": "watchOS", "xr": "visionOS",
            "driver": "DriverKit",
        ]
        return systems.first { name.hasPrefix($0.key) }?.value ?? platform
    }
}
