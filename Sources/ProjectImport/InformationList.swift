internal import Foundation

/// The `Info.plist` of a bundle, of the project's file and its settings.
struct InformationList {
    /// As XML.
    var data = Data()
    /// The version of iOS that the app finds.
    var iOS = ""
    /// Settings that have no effect, in sentences.
    var notes: [String] = []
    /// The file that was read.
    var file: URL?

    /// - Parameters:
    ///   - file: the project's own list. It need not exist.
    ///   - root: the folder that the preprocessor's files are named from.
    init(file: URL?, root: URL, executable: String, settings: Settings) throws(ImportFailure) {
        var list: [String: Any] = [:]
        if let file, Disk.isFile(file) {
            list = try Self.read(file, root, settings, &notes)
            self.file = file
        }
        addSettings(settings, to: &list)
        list["CFBundleExecutable"] = executable
        list["CFBundlePackageType"] = "APPL"
        list["CFBundleIdentifier"] = list["CFBundleIdentifier"] ?? "$(PRODUCT_BUNDLE_IDENTIFIER)"
        list["CFBundleName"] = list["CFBundleName"] ?? "$(PRODUCT_NAME)"
        list["CFBundleShortVersionString"] = list["CFBundleShortVersionString"] ?? "$(MARKETING_VERSION)"
        var filled = list.mapValues { Self.fill($0, settings) }
        iOS = Self.version(said: filled["DTPlatformVersion"] as? String, settings)
        filled["DTPlatformVersion"] = iOS
        do {
            data = try PropertyListSerialization.data(fromPropertyList: filled, format: .xml, options: 0)
        } catch {
            throw ImportFailure("Info.plist cannot be written: \(error.localizedDescription)")
        }
    }

    private static func read(
        _ file: URL, _ root: URL, _ settings: Settings, _ notes: inout [String]
    ) throws(ImportFailure) -> [String: Any] {
        var data = try? Data(contentsOf: file)
        if settings.isOn("INFOPLIST_PREPROCESS") {
            let preprocessor = Preprocessor(root: root, settings: settings)
            data = try preprocessor.run(file)
            notes += preprocessor.notes
        }
        guard let data, let read = try? unsafe PropertyListSerialization.propertyList(from: data, format: nil),
            let dictionary = read as? [String: Any]
        else { throw ImportFailure("\(file.path) is no property list: repair it, or remove it from the project") }
        return dictionary
    }

    // MARK: Settings

    private static let prefix = "INFOPLIST_KEY_"

    /// Adds what settings say, as Xcode does where it generates the list: over plain values, and to lists.
    private mutating func addSettings(_ settings: Settings, to list: inout [String: Any]) {
        let names = settings.names.filter { $0.hasPrefix(Self.prefix) }
        guard settings.isOn("GENERATE_INFOPLIST_FILE") else {
            let unused = names.map { String($0.dropFirst(Self.prefix.count)) }.filter { list[$0] == nil }
            if !unused.isEmpty {
                notes.append(
                    "settings for Info.plist have no effect without GENERATE_INFOPLIST_FILE: "
                        + unused.joined(separator: ", "))
            }
            return
        }
        for name in names {
            guard let value = settings[name] else { continue }
            add(String(name.dropFirst(Self.prefix.count)), value, to: &list)
        }
        for (key, setting) in [
            ("CFBundleVersion", "CURRENT_PROJECT_VERSION"), ("CFBundleDevelopmentRegion", "DEVELOPMENT_LANGUAGE"),
            ("CFBundleIdentifier", "PRODUCT_BUNDLE_IDENTIFIER"), ("CFBundleShortVersionString", "MARKETING_VERSION"),
            ("CFBundleName", "PRODUCT_NAME"),
        ] where !(settings[setting] ?? "").isEmpty {
            list[key] = "$(\(setting))"
        }
        list["CFBundleInfoDictionaryVersion"] = list["CFBundleInfoDictionaryVersion"] ?? "6.0"
        list["LSRequiresIPhoneOS"] = true
    }

    private mutating func add(_ key: String, _ value: String, to list: inout [String: Any]) {
        let isYes = ["YES", "TRUE", "1"].contains(value.uppercased())
        switch key {
        case "UIApplicationSceneManifest_Generation":
            guard isYes else { return }
            var scenes = list["UIApplicationSceneManifest"] as? [String: Any] ?? [:]
            scenes["UIApplicationSupportsMultipleScenes"] = scenes["UIApplicationSupportsMultipleScenes"] ?? true
            scenes["UISceneConfigurations"] = scenes["UISceneConfigurations"] ?? [String: Any]()
            list["UIApplicationSceneManifest"] = scenes
        case "UILaunchScreen_Generation":
            if isYes { list["UILaunchScreen"] = list["UILaunchScreen"] ?? [String: Any]() }
        default:
            let name = key.replacing("_iPhone", with: "~iphone").replacing("_iPad", with: "~ipad")
            if Self.lists.contains(name) {
                let old = list[name] as? [Any] ?? []
                let new = Settings.words(value).filter { word in !old.contains { $0 as? String == word } }
                list[name] = old + new
            } else if Self.booleans.contains(name) {
                if !value.isEmpty { list[name] = isYes }
            } else if !Self.texts.contains(name), !name.hasSuffix("UsageDescription") {
                notes.append(
                    "the setting \(Self.prefix)\(key) has no effect, as in Xcode: put \(name) into an Info.plist")
            } else {
                list[name] = value
            }
        }
    }

    private static let lists: Set = [
        "UISupportedInterfaceOrientations", "UISupportedInterfaceOrientations~ipad",
        "UISupportedInterfaceOrientations~iphone", "UIRequiredDeviceCapabilities",
        "WKSupportsLiveActivityLaunchAttributeTypes",
        // Not a setting of Xcode, but what people mean by it is clear.
        "UIBackgroundModes",
    ]
    private static let booleans: Set = [
        "ITSAppUsesNonExemptEncryption", "LSBackgroundOnly", "LSUIElement", "LSSupportsOpeningDocumentsInPlace",
        "NSSupportsLiveActivities", "NSSupportsLiveActivitiesFrequentUpdates", "NSViewGestureRecognizerIsExclusive",
        "UIApplicationSupportsIndirectInputEvents", "UIRequiresFullScreen", "UIStatusBarHidden",
        "UISupportsDocumentBrowser", "WKRunsIndependentlyOfCompanionApp", "WKWatchOnly", "MetalCaptureEnabled",
        "GCSupportsControllerUserInteraction", "GCSupportsGameMode", "UIFileSharingEnabled",
    ]
    private static let texts: Set = [
        "CFBundleDisplayName", "LSApplicationCategoryType", "NSHumanReadableCopyright", "NSPrincipalClass",
        "ITSEncryptionExportComplianceCode", "NSLocationTemporaryUsageDescriptionDictionary", "NSMainNibFile",
        "NSMainStoryboardFile", "UILaunchStoryboardName", "UIMainStoryboardFile", "UIUserInterfaceStyle",
        "NSSensorKitPrivacyPolicyURL", "UIStatusBarStyle", "CLKComplicationPrincipalClass",
        "WKCompanionAppBundleIdentifier", "WKExtensionDelegateClassName", "NSStickerSharingLevel",
    ]

    // MARK: Values

    /// What the app's own file says is meant, since Xcode would write it itself. Otherwise it is what Greenroom's
    /// frameworks are like, or what the project needs at least: the oldest system that an app runs on is not the usual.
    private static func version(said: String?, _ settings: Settings) -> String {
        let (usual, needed) = ("18.0", settings["IPHONEOS_DEPLOYMENT_TARGET"] ?? "")
        if let said, numbers(said) != nil { return said }
        guard let least = numbers(needed), let here = numbers(usual) else { return usual }
        return here.lexicographicallyPrecedes(least) ? needed : usual
    }

    /// Those of a version; `nil` if it is none.
    private static func numbers(_ text: String) -> [Int]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 3 else { return nil }
        let numbers = parts.compactMap { part in part.allSatisfy(\.isNumber) ? Int(part) : nil }
        return numbers.count == parts.count ? numbers : nil
    }

    private static func fill(_ value: Any, _ settings: Settings) -> Any {
        switch value {
        case let text as String: settings.fill(text)
        case let list as [Any]: list.map { fill($0, settings) }
        case let dictionary as [String: Any]: dictionary.mapValues { fill($0, settings) }
        default: value
        }
    }
}
