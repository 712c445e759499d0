import Foundation
import Testing
import UIKit

extension UIKitTests {
    @Suite("Scenes of an app")
    @MainActor
    struct SceneTests {
        @Test("Each state of a scene has its steps, and refuses all others")
        func table() {
            let legal: [SceneActivation: [SceneActivation.Step: SceneActivation]] = [
                .unattached: [.connect: .background],
                .background: [.enterForeground: .foregroundInactive, .disconnect: .unattached],
                .foregroundInactive: [
                    .becomeActive: .foregroundActive, .enterBackground: .background, .disconnect: .unattached,
                ],
                .foregroundActive: [.resignActive: .foregroundInactive],
            ]
            for state in SceneActivation.allCases {
                for step in SceneActivation.Step.allCases {
                    var next = state
                    if let expected = legal[state]?[step] {
                        #expect(throws: Never.self) { try next.take(step) }
                        #expect(next == expected)
                    } else {
                        #expect(throws: SceneActivation.IllegalStep(state: state, step: step)) { try next.take(step) }
                        #expect(next == state)
                    }
                }
            }
        }

        @Test("The manifest's classes are found as Xcode writes them, with and without the module; others are named")
        func manifest() throws {
            func information(_ name: String) -> [String: Any] {
                [
                    "UIApplicationSceneManifest": [
                        "UIApplicationSupportsMultipleScenes": false,
                        "UISceneConfigurations": [
                            "UIWindowSceneSessionRoleApplication": [
                                ["UISceneConfigurationName": "Default", "UISceneDelegateClassName": name]
                            ]
                        ],
                    ]
                ]
            }
            let module = "UIKitTests"
            let none = SceneManifest(information: ["CFBundleName": "None"], module: module)
            #expect(none == nil)
            for name in [
                "$(PRODUCT_MODULE_NAME).PublicSceneDelegate", "PublicSceneDelegate", "UIKitTests.PublicSceneDelegate",
            ] {
                let manifest = try #require(SceneManifest(information: information(name), module: module))
                let found = manifest.configuration(named: "Default", .windowApplication)
                #expect(found?.delegateClass == PublicSceneDelegate.self, "\(name)")
                #expect(
                    manifest.complaints.isEmpty && manifest.configuration(named: "Other", .windowApplication) == nil)
            }
            let wrong = try #require(SceneManifest(information: information("Missing"), module: module))
            #expect(
                wrong.complaints == [
                    "Info.plist gives Missing for UISceneDelegateClassName, and there is no such class"
                ])
        }
    }
}

final class PublicSceneDelegate: UIResponder, UIWindowSceneDelegate {}
