import Model
import PolicyCore

/// What effects can say of scenes, for `EffectCodingTests`.
enum SceneEffects {
    private static let (one, two) = (SceneNumber(1), SceneNumber(2))

    static let reasons: [Reason] =
        SceneStep.allCases.map { .scene(SceneCall(one, $0)) } + [
            .scene(SceneCall(two, .willConnect)), .scene(SceneCall(one, .willConnect, wish: 1)),
            .sceneOpened("a", one), .sceneOpened("b", one), .sceneOpened("a", two), .sceneClosed("a", one),
            .sceneClosed("b", one), .sceneClosed("a", two), .sceneWanted("a", one), .sceneWanted("b", one),
            .sceneWanted("a", two),
        ]

    static let refusals: [Refusal] = [
        .noScenes("a"), .noScenes("b"), .oneScene("a"), .oneScene("b"), .unknownScene("a", one),
        .unknownScene("b", one), .unknownScene("a", two), .tooManyScenes("a", limit: 1),
        .tooManyScenes("b", limit: 1), .tooManyScenes("a", limit: 2),
    ]

    static func actions(_ app: AppIndex, _ generation: Generation) -> [Action] {
        func deliver(_ kind: CallbackKind, _ call: SceneCall) -> Action {
            .deliver(app, generation, [Callback(number: CallbackNumber(1), kind: kind, scene: call)])
        }
        let calls = SceneStep.allCases.filter { $0 != .openURL }.map { deliver(.scene, SceneCall(one, $0)) }
        return calls + [
            deliver(.scene, SceneCall(two, .willConnect)), deliver(.scene, SceneCall(one, .willConnect, wish: 1)),
            deliver(.openURL, SceneCall(one, .openURL)), .reply(app, RequestID(1), .scene(one)),
            .reply(app, RequestID(1), .scene(two)),
        ]
    }
}
