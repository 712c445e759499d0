package import Foundation

/// Reads iOS projects.
package enum ProjectImport {
    private static let application = "com.apple.product-type.application"
    private static let libraries: Set = [
        "com.apple.product-type.framework", "com.apple.product-type.library.static",
        "com.apple.product-type.framework.static", "com.apple.product-type.library.dynamic",
    ]

    /// The programs of a project, or of a folder of code.
    ///
    /// - Returns: the programs, and what of the project is in none of them, in sentences.
    package static func read(_ path: URL) throws(ImportFailure) -> (targets: [ImportedTarget], leftOut: [String]) {
        guard FileManager.default.fileExists(atPath: path.path) else {
            throw ImportFailure("\(path.path) does not exist")
        }
        var project = path
        if path.pathExtension != "xcodeproj" {
            let inside = (try? FileManager.default.contentsOfDirectory(at: path, includingPropertiesForKeys: nil)) ?? []
            let projects = inside.filter { $0.pathExtension == "xcodeproj" }
            guard projects.count < 2 else {
                let names = projects.map(\.lastPathComponent).sorted().joined(separator: ", ")
                throw ImportFailure("\(path.path) has several projects: name one of \(names)")
            }
            guard let only = projects.first else { return ([try FolderProject.target(path)], []) }
            project = only
        }
        return try read(XcodeProject(project), project)
    }

    private static func read(
        _ project: XcodeProject, _ file: URL
    ) throws(ImportFailure) -> (targets: [ImportedTarget], leftOut: [String]) {
        var (targets, leftOut): ([ImportedTarget], [String]) = ([], [])
        for (identifier, object) in project.targets {
            let name = object.text("name") ?? identifier
            switch object.text("productType") {
            case application: targets.append(try target(name, identifier, object, project))
            case let type? where libraries.contains(type): continue
            case let type?:
                let kind = type.split(separator: ".").last.map(String.init) ?? type
                leftOut.append("the target \(name): there is nothing for a \(kind) to be")
            case nil: leftOut.append("the target \(name): it runs scripts, and builds no program")
            }
        }
        for package in project.packages {
            leftOut.append("the package \(package): add it to Package.swift, if it builds on Linux")
        }
        guard !targets.isEmpty else {
            throw ImportFailure("\(file.lastPathComponent) has no app among its targets: name a folder of code instead")
        }
        return (targets, leftOut)
    }

    private static func target(
        _ name: String, _ identifier: String, _ object: XcodeProject.Object, _ project: XcodeProject
    ) throws(ImportFailure) -> ImportedTarget {
        let (settings, complaints) = project.settings(of: object)
        var all = project.files(of: object, phase: "PBXSourcesBuildPhase")
        let synchronized = project.synchronizedFiles(of: identifier, object)
        all += synchronized
        var merged: [String] = []
        // A library of the project is a part of the program here.
        for (used, library) in project.dependencies(of: object)
        where libraries.contains(library.text("productType") ?? "") {
            merged.append(ImportedTarget.module(library.text("name") ?? used))
            all += project.files(of: library, phase: "PBXSourcesBuildPhase")
            all += project.synchronizedFiles(of: used, library)
        }
        var leftOut = complaints
        let missing = all.filter { !FileManager.default.fileExists(atPath: $0.path) }
        if !missing.isEmpty {
            leftOut.append("files that are not there: \(missing.map(\.lastPathComponent).joined(separator: ", "))")
        }
        let resources = project.files(of: object, phase: "PBXResourcesBuildPhase")
        for (kind, files) in Dictionary(grouping: all + resources, by: \.pathExtension).sorted(by: { $0.key < $1.key })
        where Kinds.leftOut[kind] != nil {
            leftOut.append(Kinds.sentence(kind, files.count))
        }
        leftOut += entitlements(settings, project.root)
        let information = settings["INFOPLIST_FILE"].map {
            project.root.appending(path: Settings.fill($0, settings))
        }
        let sources = all.filter { $0.pathExtension == "swift" && !missing.contains($0) }
        guard !sources.isEmpty else {
            throw ImportFailure("the target \(name) has no Swift files: \(leftOut.joined(separator: "; "))")
        }
        let list = try InformationList(
            file: information, executable: ImportedTarget.module(name), settings: settings)
        return ImportedTarget(
            name: name, sources: Array(Set(sources)).sorted { $0.path < $1.path }, merged: merged,
            information: list.data,
            resources: resources.filter { Kinds.leftOut[$0.pathExtension] == nil },
            iOS: list.iOS, leftOut: leftOut)
    }

    /// What the app may do on Apple's systems by a signed list. Here a bundle's `Info.plist` says it.
    private static func entitlements(_ settings: [String: String], _ root: URL) -> [String] {
        guard let path = settings["CODE_SIGN_ENTITLEMENTS"] else { return [] }
        let file = root.appending(path: Settings.fill(path, settings))
        guard let data = try? Data(contentsOf: file),
            let read = try? unsafe PropertyListSerialization.propertyList(from: data, format: nil),
            let list = read as? [String: Any]
        else { return ["the entitlements in \(path): they cannot be read"] }
        return list.keys.sorted().compactMap { key in
            switch key {
            case "aps-environment": nil
            case "com.apple.developer.associated-domains":
                "associated domains: give CFBundleURLTypes of Info.plist the scheme https to open sites' links"
            default: "the entitlement \(key): there is nothing that it stands for"
            }
        }
    }
}
